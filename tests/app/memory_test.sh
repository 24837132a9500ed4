#!/usr/bin/env bash
# Resident memory and checkpoints of a run of many short rounds do not grow.
#   memory_test.sh OIDA MPIEXEC NUMPROC_FLAG RANKS SECONDS [demo]
# demo: with the patches and layers of inputs/demo.ini.
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
ranks=$4 seconds=$5

# Steps of well under a millisecond, an exchange with each; checkpoints follow each other, and grow by
# a row with each validation.
run=("train.epochs = 1000000" "train.learning_rate = 0.005" "oida.interleave = 1"
  "oida.validate_every = 1000" "data.validation_share = 0.3" "run.checkpoint_every_s = 0.1"
  "run.class_map = off" "train.optimizer = adagrad_window")
[ "${6:-}" != demo ] || run+=("data.patch_px = 15" "model.layers = conv 16 3 relu"
  "model.layers = max_pool 2" "model.layers = conv 32 3 relu" "model.layers = max_pool 2"
  "model.layers = conv 64 3 relu" "model.layers = dense 64 relu")

# Kilobytes of each rank, in the order of the ranks.
resident_kb() {
  local pid
  for pid in $(rank_pids); do
    echo "$(rank_of "$pid") $(sed -n 's/^VmRSS:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")"
  done | sort -n | awk '{ print $NF }' | paste -sd ' '
}

# Tried again where the newest has just gone.
unit_file_bytes() {
  until stat -c %s "watched/checkpoints/round-$(newest_round watched).unit-0.h5" 2>/dev/null; do
    kill -0 $job || return
  done
}

validations() {
  wc -l <watched/metrics.csv
}

# watch SECONDS: the least that each rank had in that time and until it was validated: what stays when
# the buffers of checkpoints and validations are gone.
watch() {
  local until_s=$((SECONDS + $1)) rows
  rows=$(validations)
  while [ $SECONDS -lt $until_s ] || [ "$(validations)" = "$rows" ]; do
    kill -0 $job || return
    resident_kb
    sleep 0.1
  done | awk '{ for (i = 1; i <= NF; ++i) if (!least[i] || $i < least[i]) least[i] = $i }
    END { for (i = 1; i in least; ++i) printf "%d ", least[i] }'
}

make_scene
write_deck watched "${run[@]}"
start "$ranks" train watched.ini
expect "no checkpoint came" await_checkpoints watched 3
sleep $((seconds / 8))
read -r -a before <<<"$(watch $((seconds / 8)))"
bytes_before=$(unit_file_bytes)
sleep $((seconds / 2))
read -r -a after <<<"$(watch $((seconds / 4)))"
bytes_after=$(unit_file_bytes)
expect "a rank was not seen" test "${#before[@]} ${#after[@]}" = "$ranks $ranks"
for ((rank = 0; rank < ranks; rank++)); do
  echo "rank $rank: ${before[rank]} kB, then ${after[rank]} kB"
  expect "rank $rank grew by over 1 %" test $((100 * after[rank])) -le $((101 * before[rank]))
done
echo "unit 0's file: $bytes_before bytes, then $bytes_after"
expect "checkpoints grow" test $((bytes_after - bytes_before)) -lt 512
kill -TERM "$(pid_of_rank 0)"
await_end
expect "exit code $code, expected 75" test $code = 75
sed -n 's/^stopped on request after //p' "$out"
finish
