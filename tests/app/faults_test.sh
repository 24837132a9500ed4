#!/usr/bin/env bash
# Places that files cannot be written to, ranks that hang, losses that are not finite.
#   faults_test.sh OIDA MPIEXEC NUMPROC_FLAG RUN_CHECK
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
run_check=$4

long=("train.learning_rate = 0.005" "oida.validate_every = 24" "run.checkpoint_every_s = 0.05"
  "data.validation_share = 0.3" "run.class_map = off")

undisturbed() {
  rm -rf straight
  write_deck straight "${long[@]}"
  ends "$1" 0 train straight.ini
}

# No file above 8 kB can be written any more: marks and metrics pass, checkpoints do not. A limit from
# the start would stop MPI's own shared memory.
limit_files() {
  local pid
  for pid in $(rank_pids); do prlimit --pid "$pid" --fsize=8192; done
}

no_room() {
  local ranks=$1
  rm -rf full
  write_deck full "${long[@]}"
  start "$ranks" train full.ini
  expect "no room: no checkpoint came" await_checkpoints full 1
  limit_files
  await_end
  expect "no room: exit code $code" test "$code" = 1
  expect "no room: not said" grep -q 'checkpoint of round [0-9]* not written: .*File too large' "$out"
  expect "no room: what failed in the end" grep -q '/full/.*File too large' "$err"
  expect "no room: parts are left" eval '! ls full/checkpoints/*.part full/*.part 2>/dev/null'
  ends "$ranks" 0 train full.ini
  expect "room again: not resumed" grep -q '^resumed from' "$out"
  expect "room again: another model" cmp straight/model.h5 full/model.h5
}

# Asked to stop: 75 needs a checkpoint, of now or of before.
stopped_without_room() {
  local ranks=$1 every=$2 wanted=$3
  rm -rf full
  write_deck full "${long[@]}"
  start "$ranks" train full.ini --run.checkpoint_every_s="$every" --train.epochs=1000
  expect "no room to stop: no metrics came" await_file full/metrics.csv
  [ "$wanted" = 1 ] || expect "no room to stop: no checkpoint came" await_checkpoints full 1
  limit_files
  kill -TERM "$(pid_of_rank 0)"
  await_end
  expect "no room to stop: exit code $code, expected $wanted" test "$code" = "$wanted"
  [ "$wanted" = 75 ] ||
    expect "no room to stop: not said" grep -q 'no checkpoint to go on from' "$err"
}

can_mount() {
  unshare -rm true 2>/dev/null && return
  echo "skipped: no file system can be mounted here"
  return 1
}

# A file system of its own that gets full while the run goes on, then has room again.
full_disk() {
  can_mount || return
  rm -rf disk
  mkdir disk
  write_deck full_disk "${long[@]}" "run.dir = disk/run"
  unshare -rm bash -c "
    mount -t tmpfs -o size=4m none disk || exit 2
    $oida train full_disk.ini &
    until ls disk/run/checkpoints/round-*.h5 2>/dev/null; do sleep 0.01; done
    dd if=/dev/zero of=disk/filler bs=64k
    until grep -q 'not written: .*No space left on device' '$out'; do
      kill -0 \$! || exit 3
      sleep 0.01
    done
    rm disk/filler
    wait \$! || exit 4
    cmp straight/model.h5 disk/run/model.h5 || exit 5" >"$out" 2>"$err"
  code=$?
  expect "full disk: code $code" test $code = 0
}

# One that can only be read for a while, as after an error of its disk. Not while a file is written.
read_only() {
  can_mount || return
  rm -rf disk
  mkdir disk
  write_deck read_only "${long[@]}" "run.dir = disk/run"
  unshare -rm bash -c "
    mount -t tmpfs -o size=64m none disk || exit 2
    $oida train read_only.ini &
    until ls disk/run/checkpoints/round-*.h5 2>/dev/null; do sleep 0.01; done
    until mount -o remount,ro disk 2>/dev/null; do kill -0 \$! || exit 3; done
    until grep -q 'not written: .*Read-only file system' '$out'; do
      kill -0 \$! || exit 4
      sleep 0.01
    done
    mount -o remount,rw disk || exit 5
    wait \$! || exit 6
    cmp straight/model.h5 disk/run/model.h5 || exit 7" >"$out" 2>"$err"
  code=$?
  expect "read-only disk: code $code" test $code = 0
}

# rm -rf of the whole run directory in the middle.
vanished() {
  local ranks=$1
  rm -rf vanished
  write_deck vanished "${long[@]}"
  start "$ranks" train vanished.ini
  expect "vanished: no checkpoint came" await_checkpoints vanished 1
  mv vanished gone_away
  await_end
  expect "vanished: exit code $code" test "$code" = 0
  expect "vanished: another model" cmp straight/model.h5 vanished/model.h5
  rm -rf gone_away
}

# A folder that nothing can be made in any more: a file in the way works for root too. The run may
# make the folder anew before the file is there.
block() {
  until [ -f "$1" ]; do
    mv -T "$1" "kept.$RANDOM"
    (set -o noclobber && : >"$1") 2>/dev/null
  done
}

blocked() {
  local ranks=$1
  rm -rf blocked
  write_deck blocked "${long[@]}"
  start "$ranks" train blocked.ini
  expect "blocked: no checkpoint came" await_checkpoints blocked 1
  block blocked/checkpoints
  await_end
  expect "blocked: exit code $code" test "$code" = 0
  expect "blocked: not said" grep -q 'checkpoint of round [0-9]* not written: ' "$out"
  expect "blocked: another model" cmp straight/model.h5 blocked/model.h5
  rm -rf kept.*
}

# hung RANKS RANK CODE [KEY...]: one rank is stopped, the others end the job.
hung() {
  local ranks=$1 rank=$2 wanted=$3
  shift 3
  rm -rf hung
  write_deck hung "${long[@]}" "run.stall_timeout_s = 3"
  start "$ranks" train hung.ini "$@"
  if [ "$wanted" = 75 ]; then
    expect "hung: no checkpoint came" await_checkpoints hung 1
  else
    expect "hung: training did not start" await_file hung/metrics.csv
  fi
  kill -STOP "$(pid_of_rank "$rank")"
  await_end
  expect "rank $rank hangs: exit code $code, expected $wanted" test "$code" = "$wanted"
  expect "rank $rank hangs: not one line" test "$(wc -l <"$err")" = 1
  expect "rank $rank hangs: not named" grep -qE "^oida: error: rank $rank on [^ ]+ does not answer: \
lost or stalled in round [0-9]+; rank [0-9]+ on [^ ]+ waited [0-9.]+ s in [a-z ]+$" "$err"
  expect "rank $rank hangs: ranks are left" no_ranks_left
  [ "$wanted" = 75 ] || return
  ends "$ranks" 0 train hung.ini
  expect "rank $rank hangs: another model" cmp straight/model.h5 hung/model.h5
}

# The learning rate is beyond all reason: every loss is.
not_finite() {
  local ranks=$1 rank
  rm -rf wild
  write_deck wild "train.learning_rate = 1000" "oida.guard_retries = 0"
  ends "$ranks" 1 train wild.ini
  expect "not finite: more than a line" test "$(wc -l <"$err")" = 1
  expect "not finite: not said" grep -qE 'not finite in round [0-9]+ after 0 rollbacks' "$err"
  expect "not finite: FAILED" grep -q 'not finite' wild/FAILED
  for ((rank = 0; rank < ranks; rank++)); do
    expect "not finite: rank $rank" "$run_check" bad_batch wild/nonfinite-batch.unit-$rank.h5
  done
}

make_scene
long+=("train.epochs = $(epochs_lasting 2.5 2 "${long[@]}")")
for ranks in 1 2; do
  undisturbed $ranks
  no_room $ranks
  stopped_without_room $ranks 1000 1
  stopped_without_room $ranks 0.05 75
  vanished $ranks
  blocked $ranks
  not_finite $ranks
  [ $ranks = 2 ] || { full_disk && read_only; }
done
hung 2 1 75
hung 2 0 75
undisturbed 4
hung 4 2 75
hung 2 1 1 --run.checkpoint_every_s=1000
finish
