#!/bin/bash
# forms_test.sh OIDA MPIEXEC NUMPROC_FLAG SCENE_FORMS
# Flevoland as T3, big-endian ENVI, GeoTIFF stack, NetCDF-BEAM and HDF5 cache trains the same model
# byte by byte; as C3, whose floats are rounded otherwise, one that differs in its last digits.
. "$(dirname "$0")/lib.sh"
scene_forms=$(realpath "$4")
if [ -z "${OIDA_DATA_DIR:-}" ]; then
  echo "skipped: OIDA_DATA_DIR is not set"
  exit 77
fi
real=$OIDA_DATA_DIR/flevoland_airsar_15cls
expect "the forms" "$scene_forms" "$real/T3" 750 1024 .

cat >form.ini <<END
[scene]
labels = $real/Flevoland_gt.mat
[data]
patch_px = 3
max_per_class = 100
[model]
layers = dense 8 relu
[train]
epochs = 2
batch = 32
learning_rate = 0.02
[oida]
interleave = 1
[device]
threads = 1
[run]
class_map = off
progress = off
END

# trains NAME SCENE [ARGUMENT...]
trains() {
  local name=$1 scene=$2
  shift 2
  ends 1 0 train form.ini --scene.path="$scene" --run.dir="run-$name" "$@"
}

# digits NAME: what the model scored.
digits() {
  grep -o '"oa": [0-9.]*' "run-$1/test.json" | cut -c 7-12
}

trains t3 "$real/T3"
trains big_endian big_endian
trains stack stack.tif
trains beam beam.nc
trains cache "$real/T3" --scene.cache=cache
for name in big_endian stack beam cache; do
  expect "$name: another model" cmp run-t3/model.h5 "run-$name/model.h5"
  expect "$name: another test" cmp run-t3/test.json "run-$name/test.json"
done
trains c3 C3
expect "C3: $(digits c3) correct, T3 $(digits t3)" \
  awk -v a="$(digits c3)" -v b="$(digits t3)" 'BEGIN { exit !(a - b <= 0.001 && b - a <= 0.001) }'
expect "C3: the test must be able to see a difference" eval '! cmp -s run-t3/model.h5 run-c3/model.h5'
finish
