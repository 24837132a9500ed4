#!/usr/bin/env bash
# A rank is killed in the middle, the same command again ends with the very model of a run that was
# left alone; bad checkpoints are refused or skipped.
#   resume_test.sh OIDA MPIEXEC NUMPROC_FLAG RUN_CHECK RANKS
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
run_check=$4 ranks=$5

often="run.checkpoint_every_s = 0.05"
# The learning rate keeps the loss moving, validations are frequent: candidates wait for their verdict
# in most checkpoints.
long=("train.learning_rate = 0.005" "oida.validate_every = 24" "$often"
  "data.validation_share = 0.3" "run.class_map = off" "device.threads = 1"
  "train.optimizer = adagrad_window")

undisturbed() {
  rm -rf straight again
  write_deck straight "$@"
  timed ends $ranks 0 train straight.ini
  write_deck again "$@"
  ends $ranks 0 train again.ini
  expect "$ranks ranks, $*: two runs of one seed differ" cmp straight/model.h5 again/model.h5
}

# killed_at RANK NTH...: kills RANK when so many more checkpoints are there, once for each NTH, then
# lets the run end.
killed_at() {
  local rank=$1 kills=0 nth
  shift
  rm -rf killed
  for nth in "$@"; do
    start $ranks train killed.ini
    if await_checkpoints killed "$nth"; then
      kill_rank "$rank"
      kills=$((kills + 1))
    fi
    await_end
    expect "rank $rank killed: exit code $code" test "$code" != 0
    expect "rank $rank killed: ranks are left" no_ranks_left
  done
  expect "the run ended before it could be killed" test $kills = $#
  ends $ranks 0 train killed.ini
  expect "it did not resume" grep -q '^resumed from the checkpoint of round' "$out"
  expect "run.json after $kills kills" "$run_check" record killed $kills
  expect "timing.json after $kills kills" "$run_check" timing killed
  expect "$ranks ranks, rank $rank killed: another model" cmp straight/model.h5 killed/model.h5
  expect "$ranks ranks, rank $rank killed: other validations" \
    cmp <(cut -d, -f-3,5- straight/metrics.csv) <(cut -d, -f-3,5- killed/metrics.csv)
}

kill_and_resume() {
  undisturbed "${long[@]}" "$@"
  write_deck killed "${long[@]}" "$@"
  killed_at 0 1 2
  [ $ranks = 1 ] || killed_at $((ranks - 1)) 2
}

# Stops a run with checkpoints in `stopped`.
stopped_run() {
  write_deck stopped "${long[@]}" "oida.interleave = 3" "run.keep = 3"
  ends $ranks 75 train stopped.ini --run.time_limit_s="$(seconds $((took_ms / 4)))"
}

newest() {
  ls stopped/checkpoints | sed -n 's/^round-\([0-9]*\)\.h5$/\1/p' | sort -n | tail -n "${1:-1}" |
    head -n 1
}

truncate_half() {
  truncate -s $(($(stat -c %s "$1") / 2)) "$1"
}

bad_checkpoints() {
  local last file
  stopped_run
  refused $ranks 'run.resume: no' train stopped.ini --run.resume=no
  last=$(newest)
  refused $ranks 'run.resume: .*nowhere/round-1.h5' train stopped.ini --run.resume=nowhere/round-1.h5
  refused $ranks 'run.resume: .*does not exist' train stopped.ini --run.dir=fresh \
    --run.resume=fresh/checkpoints/round-1.h5
  truncate_half stopped/checkpoints/round-$last.unit-$((ranks - 1)).h5
  refused $ranks "[^:]*round-$last.unit" train stopped.ini \
    --run.resume=stopped/checkpoints/round-$last.h5
  refused $ranks 'run.resume: .*learning_rate' train stopped.ini --train.learning_rate=0.006
  cp -r stopped/checkpoints kept
  ends $ranks 0 train stopped.ini
  expect "the truncated checkpoint is not named" grep -q "skipped: .*round-$last" "$out"
  expect "an older checkpoint was not used" grep -q '^resumed from the checkpoint' "$out"
  expect "$ranks ranks, skipped checkpoint: another model" cmp straight/model.h5 stopped/model.h5
  rm -rf stopped/checkpoints stopped/DONE && mv kept stopped/checkpoints
  for file in stopped/checkpoints/round-*; do truncate_half "$file"; done
  refused $ranks 'run.resume: none of' train stopped.ini
}

make_scene
long+=("train.epochs = $(epochs_lasting 2.5 $ranks "${long[@]}")")
kill_and_resume "oida.interleave = 3"
bad_checkpoints
if [ $ranks = 2 ]; then
  kill_and_resume "oida.interleave = 1"
  kill_and_resume "oida.exchange = allreduce"
  kill_and_resume "oida.wire = int8" "oida.merge = weighted" "device.node_ranks = 1"
fi
finish
