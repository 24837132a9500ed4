#!/usr/bin/env bash
# The asynchronous server: its files, a stop on request, a rank that dies, one that hangs. The order
# of arrival is never the same twice, so models are not compared.
#   server_test.sh OIDA MPIEXEC NUMPROC_FLAG RUN_CHECK
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
run_check=$4

server=("oida.exchange = server" "oida.interleave = auto" "oida.staleness = 2"
  "run.checkpoint_every_s = 0.05" "data.validation_share = 0.3")
long=("run.class_map = off" "train.learning_rate = 0.005")

whole() {
  local ranks=$1
  rm -rf whole
  write_deck whole "${server[@]}" "train.epochs = 20"
  ends "$ranks" 0 train whole.ini
  expect "$ranks ranks: run.json" "$run_check" record whole 0
  expect "$ranks ranks: timing.json" "$run_check" timing whole
  expect "$ranks ranks: files" "$run_check" files whole
  expect "$ranks ranks: exchange" grep -q '"exchange": "server"' whole/timing.json
  [ "$ranks" = 1 ] && return
  expect "$ranks ranks: a round is 8 steps" grep -q '"interleave": 8' whole/timing.json
  expect "$ranks ranks: staleness" grep -q '"histogram"' whole/timing.json
  expect "$ranks ranks: report" grep -q '^| staleness .* in the mean, [0-9]* at most' whole/report.md
}

# begun RANKS [KEY...]: a long run that has a checkpoint.
begun() {
  local ranks=$1
  shift
  rm -rf long
  write_deck long "${server[@]}" "${long[@]}" "$@"
  start "$ranks" train long.ini
  expect "$ranks ranks: no checkpoint came" await_checkpoints long 1
}

# goes_on RANKS WHAT: it resumes and ends.
goes_on() {
  expect "$2: ranks are left" no_ranks_left
  ends "$1" 0 train long.ini
  expect "$2: not resumed" grep -q '^resumed from' "$out"
  expect "$2: timing.json" "$run_check" timing long
}

stopped() {
  begun "$1"
  kill -TERM "$(pid_of_rank "$2")"
  await_end
  expect "TERM to $2 of $1: exit code $code" test "$code" = 75
  expect "TERM to $2 of $1: not said" grep -q '^stopped on request' "$out"
  goes_on "$1" "TERM to $2 of $1"
}

killed() {
  begun "$1"
  kill_rank "$2"
  await_end
  expect "rank $2 of $1 killed: exit code $code" test "$code" != 0
  goes_on "$1" "rank $2 of $1 killed"
}

hung() {
  begun "$1" "run.stall_timeout_s = 3"
  kill -STOP "$(pid_of_rank "$2")"
  await_end
  expect "rank $2 of $1 hangs: exit code $code" test "$code" = 75
  expect "rank $2 of $1 hangs: not named" grep -qE "^oida: error: rank $2 on .* does not answer" "$err"
  goes_on "$1" "rank $2 of $1 hangs"
}

make_scene
long+=("train.epochs = $(epochs_lasting 2.5 2 "${server[@]}" "${long[@]}")")
for ranks in 1 2 4; do whole $ranks; done
stopped 2 1
stopped 4 0
killed 2 0
killed 4 2
hung 2 0
hung 2 1
write_deck refused "${server[@]}"
refused 2 'oida.wire: int8 .*server' train refused.ini --oida.wire=int8
refused 2 'oida.merge: .*server' train refused.ini --oida.merge=best
finish
