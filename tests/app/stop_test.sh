#!/usr/bin/env bash
# Signals, the time limit, two jobs in one directory, a lock whose job is gone, other rank counts.
#   stop_test.sh OIDA MPIEXEC NUMPROC_FLAG RUN_CHECK
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
run_check=$4

long=("train.learning_rate = 0.005" "oida.validate_every = 24" "run.checkpoint_every_s = 0.05"
  "device.threads = 1" "data.validation_share = 0.3" "run.class_map = off")

undisturbed() {
  rm -rf straight
  write_deck straight "${long[@]}"
  timed ends "$1" 0 train straight.ini
}

# No handler may run on a thread that computes: bits 1, 9 and 14 are INT, USR1 and TERM. The one
# thread that waits for them shows as not blocking.
one_thread_takes_signals() {
  local pid status mask takers
  for pid in $(rank_pids); do
    takers=""
    for status in /proc/"$pid"/task/*/status; do
      mask=$(sed -n 's/^SigBlk:\t//p' "$status") || return 1
      (((0x$mask & 0x4202) == 0x4202)) || takers+=$status
    done
    [[ $takers = /proc/$pid/task/*/status && $takers != */task/$pid/* ]] || return 1
    [ "$(grep -o status <<<"$takers" | wc -l)" = 1 ] || return 1
  done
}

# stopped_by RANKS SIGNAL TARGET: the signal goes to rank TARGET, or to the launcher.
stopped_by() {
  local ranks=$1 signal=$2 target=$3 pid
  rm -rf stopped
  write_deck stopped "${long[@]}"
  start $ranks train stopped.ini
  expect "$signal: no checkpoint came" await_checkpoints stopped 1
  expect "$signal: may run on a computing thread" one_thread_takes_signals
  pid=$job
  [ "$target" = launcher ] || pid=$(pid_of_rank "$target")
  kill -s "$signal" "$pid"
  await_end
  # MPICH 4.0's mpiexec may end with 0 when it passed on a signal, whatever its ranks end with.
  [ "$target" = launcher ] && [ "$code" = 0 ] && code=75
  expect "$ranks ranks, $signal to $target: exit code $code, expected 75" test "$code" = 75
  expect "$ranks ranks, $signal to $target: not said" grep -q '^stopped on request' "$out"
  expect "$ranks ranks, $signal to $target: stderr" test ! -s "$err"
  expect "$ranks ranks, $signal to $target: ranks are left" no_ranks_left
  expect "$ranks ranks, $signal to $target: the lock is left" test ! -e stopped/lock
  ends $ranks 0 train stopped.ini
  expect "$ranks ranks, $signal to $target: not resumed" grep -q '^resumed from' "$out"
  expect "$ranks ranks, $signal to $target: run.json" "$run_check" record stopped 1
  expect "$ranks ranks, $signal to $target: another model" cmp straight/model.h5 stopped/model.h5
}

time_limit() {
  local ranks=$1 starts=0
  rm -rf limited
  write_deck limited "${long[@]}" "run.time_limit_s = $(seconds $((took_ms / 4)))"
  code=75
  while [ $code = 75 ] && [ $starts -lt 40 ]; do
    on $ranks train limited.ini
    starts=$((starts + 1))
  done
  expect "time limit: exit code $code after $starts starts" test $code = 0
  expect "time limit: it never stopped" test $starts -gt 1
  expect "time limit: restarts" "$run_check" record limited $((starts - 1))
  expect "time limit: another model" cmp straight/model.h5 limited/model.h5
}

two_at_once() {
  rm -rf shared
  write_deck shared "${long[@]}"
  start 2 train shared.ini
  expect "two at once: no checkpoint came" await_checkpoints shared 1
  local first_out=$out first_err=$err
  out=$room.out2 err=$room.err2
  ends 1 2 train shared.ini
  expect "two at once: the second's line" grep -qE '^oida: error: .*shared: is in use by' "$err"
  expect "two at once: more than a line" test "$(wc -l <"$err")" = 1
  rm -f "$out" "$err"
  out=$first_out err=$first_err
  await_end
  expect "two at once: the first ended with $code" test "$code" = 0
  expect "two at once: another model" cmp straight/model.h5 shared/model.h5
}

# All ranks and the launcher killed: the lock stays, and is seen to be stale.
whole_job_killed() {
  rm -rf gone
  write_deck gone "${long[@]}"
  start 2 train gone.ini
  expect "job killed: no checkpoint came" await_checkpoints gone 1
  kill -9 $job $(rank_pids)
  await_end
  expect "job killed: ranks are left" no_ranks_left
  expect "job killed: no lock is left to be stale" test -e gone/lock
  ends 2 0 train gone.ini
  expect "job killed: another model" cmp straight/model.h5 gone/model.h5
}

other_rank_count() {
  rm -rf moved
  write_deck moved "${long[@]}"
  ends 2 75 train moved.ini --run.time_limit_s="$(seconds $((took_ms / 4)))"
  ends 1 0 train moved.ini
  expect "2 to 1 ranks: not said" grep -q 'resumed from 2 units on 1' "$out"
  expect "2 to 1 ranks: not in the report" grep -qi 'resumed from 2 units on 1' moved/report.md
  expect "2 to 1 ranks: timing.json" "$run_check" timing moved
}

make_scene
long+=("train.epochs = $(epochs_lasting 2.5 2 "${long[@]}")")
undisturbed 1
stopped_by 1 TERM 0
stopped_by 1 INT 0
undisturbed 2
stopped_by 2 USR1 0
stopped_by 2 TERM 1
for signal in TERM INT USR1; do stopped_by 2 $signal launcher; done
time_limit 2
two_at_once
whole_job_killed
other_rank_count
finish
