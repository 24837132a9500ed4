#!/bin/bash
# large_scene_test.sh OIDA MPIEXEC NUMPROC_FLAG LARGE_SCENE ROWS COLS STEP LIMIT_S
# A Sentinel-1 pair larger than what a rank may hold: inspect, train and predict within 1500 MB a
# rank, each rank reading its part only. ROWS 0 takes the whole pair, 13509 x 21632 pixels.
. "$(dirname "$0")/lib.sh"
large_scene=$(realpath "$4") rows=$5 cols=$6 step=$7
limit_s=$8
pair_of=${OIDA_DATA_DIR:-}/sentinel1_iw_slc_dummy_pixels
if [ -z "${OIDA_DATA_DIR:-}" ]; then
  echo "skipped: OIDA_DATA_DIR is not set"
  exit 77
fi
expect "the scene" "$large_scene" . "$rows" "$cols" "$step" "$pair_of"
[ "$rows" = 0 ] && rows=13509 cols=21632

cat >large.ini <<END
[scene]
path = pair
labels = labels.tif
[data]
patch_px = 3
shards = local
max_per_class = 4000
[model]
layers = dense 64 relu
layers = dense 16 relu
[train]
batch = 256
[oida]
interleave = 1
[run]
dir = run
class_map = off
progress = off
END

# measured RANKS ARGUMENTS...: the program, each rank held to the limit.
measured() {
  local ranks=$1 begin=$SECONDS
  shift
  timeout -k 5 "$limit_s" "$mpiexec" "$numproc_flag" "$ranks" "$large_scene" peak 1500 "$oida" "$@" \
    >"$out" 2>"$err"
  code=$?
  checks=$((checks + 1))
  [ "$code" = 0 ] || fail "$*: exit code $code"
  echo "$1, $ranks ranks, $((SECONDS - begin)) s: $(grep -o 'peak memory [0-9]*' "$out" | xargs)"
}

# part_of RANK: bytes that the rank read, in percent of the scene's.
part_of() {
  local bytes
  bytes=$(grep -o '"read_bytes": [0-9]*' run/timing.json | sed -n "$(($1 + 1))s/.* //p")
  echo $((100 * bytes / (rows * cols * 8)))
}

measured 1 inspect pair --labels labels.tif
expect "the size" grep -q "^size    $rows rows x $cols columns" "$out"
expect "no defect" grep -q ' 0 invalid, 0 with negative power, 0 with zero power, 0 not ' "$out"
measured 2 train large.ini
# Half of the survey and half of the training blocks; strata over all blocks would read over 55 %.
for rank in 0 1; do
  part=$(part_of $rank)
  expect "rank $rank read $part % of the scene" test "$part" -ge 49 -a "$part" -le 54
done
measured 2 predict run/model.h5 pair --out map.tif
expect "a map" test -s map.tif
finish
