#!/usr/bin/env bash
# Ends of jobs, which take minutes: Slurm's own signal before the limit, a stop by the program alone, a
# successor in place of a requeue, a rank that hangs, the cap of restarts.
#   cluster_long_test.sh OIDA MPIEXEC NUMPROC_FLAG GPU_PROBE
here=$(realpath "$(dirname "$0")")
source "$here/../app/lib.sh"
source "$here/cluster.sh"

# Longer than a limit of a minute on any machine: the network makes the pace.
slow=("train.learning_rate = 0.005" "oida.validate_every = 600" "data.validation_share = 0.3"
  "run.class_map = off" "run.stall_timeout_s = 10")
slow_network() {
  local n
  for ((n = 1; n <= 8; n++)); do
    "$cluster" exec "node$n" tc qdisc add dev eth0 root tbf rate 2mbit burst 16kb latency 400ms ||
      skip "the network cannot be slowed down (tc)"
  done
}

# goes_on NAME JOB SECONDS LINE: ends after a restart, with the undisturbed model.
goes_on() {
  expect "$1: does not end" await_state "$2" COMPLETED "$3"
  expect "$1: its log has not '$4'" said "$1" "$4"
  expect "$1: not resumed" said "$1" '^resumed from the checkpoint'
  expect "$1: another model" cmp straight/model.h5 "$1/model.h5"
  [ -e "$1/DONE" ] || show_log "$1"
}

# A rank of rank 3's node stops to answer and is not gone: the others name it and end the job.
hang() {
  local node pid
  expect "hung: no checkpoint came" await_round hung 60
  node=$(nodes_of "$1" | tail -n 1)
  for pid in $("$cluster" exec "$node" pgrep -x oida); do
    "$cluster" exec "$node" kill -STOP "$pid"
  done
  hung_node=$node
}

cluster_up 8
make_scene
slow_network
for name in straight signalled alone successor; do
  write_deck $name "${slow[@]}" "train.epochs = 20" "run.checkpoint_every_s = 1000"
done
write_deck hung "${slow[@]}" "train.epochs = 20" "run.checkpoint_every_s = 2"
write_deck capped "${slow[@]}" "train.epochs = 100000" "run.checkpoint_every_s = 1000"
began=$SECONDS
straight=$(submit straight --exclusive --time=20)
# Requeue is off: a job that depends on the first goes on.
submit successor --exclusive --time=1 --no-requeue --signal=B:CONT@1 >/dev/null
hung=$(submit hung --exclusive)
capped=$(OIDA_RESTARTS=0 submit capped --exclusive)
# The rest waits for nodes.
signalled=$(submit signalled --exclusive --time=1 --signal=B:USR1@30)
# No signal comes in time: the program stops by itself before the end of the job.
alone=$(submit alone --exclusive --time=1 --signal=B:CONT@1)

hang "$hung"
expect "capped: does not run" await_state "$capped" RUNNING 20
scancel --batch --signal=USR1 "$capped"
expect "capped: does not fail" await_state "$capped" FAILED 60
expect "capped: does not say why" said capped 'gives up'

expect "undisturbed: does not end" await_state "$straight" COMPLETED 400
expect "undisturbed: too short for this test" test $((SECONDS - began)) -gt 65
goes_on hung "$hung" 400 "^oida: error: rank [23] on $hung_node.* does not answer: lost or stalled in round"
for ((i = 0; i < 1500; i++)); do
  [ -e successor/DONE ] && break
  sleep 0.2
done
expect "successor: its log has no successor" said successor 'a job that depends on this one goes on'
expect "successor: not resumed" said successor '^resumed from the checkpoint'
expect "successor: another model" cmp straight/model.h5 successor/model.h5
[ -e successor/DONE ] || show_log successor
goes_on signalled "$signalled" 400 'goes back into the queue, restart 1'
goes_on alone "$alone" 400 '^stopped on request'
expect "alone: another exit code" said alone '^oida job: exit code 75$'
finish
