#!/usr/bin/env bash
# What takes minutes: Slurm's own signal before the limit, a stop by the program alone, a successor in
# place of a requeue, the cap of restarts.
#   cluster_long_test.sh OIDA MPIEXEC NUMPROC_FLAG GPU_PROBE
here=$(realpath "$(dirname "$0")")
source "$here/../app/lib.sh"
source "$here/cluster.sh"

base=("train.learning_rate = 0.005" "oida.validate_every = 240" "run.checkpoint_every_s = 1000"
  "data.validation_share = 0.3" "run.class_map = off")

# How many epochs a second the small scene makes here.
steps_a_second() {
  write_deck probe "${base[@]}" "train.epochs = 8"
  submit probe --wait >/dev/null
  sed -n 's/^ *"train_s": \([0-9.]*\),*/\1/p' probe/timing.json | awk '{ print 8 / $1 }'
}

epochs_for() {
  awk -v rate="$rate" -v seconds="$1" 'BEGIN { print int(rate * seconds) + 1 }'
}

# twin NAME EPOCHS: the undisturbed run of the same deck, without any limit.
twin() {
  write_deck "$1-twin" "${base[@]}" "train.epochs = $2"
  expect "$1: the undisturbed job failed" submit "$1-twin" --wait --time=20
}

# goes_on NAME JOB SECONDS LINE: ends after a restart, with the undisturbed model.
goes_on() {
  expect "$1: does not end" await_state "$2" COMPLETED "$3"
  expect "$1: its log has not '$4'" said "$1" "$4"
  expect "$1: not resumed" said "$1" '^resumed from the checkpoint'
  expect "$1: another model" cmp "$1-twin/model.h5" "$1/model.h5"
  [ -e "$1/DONE" ] || show_log "$1"
}

cluster_up 8
make_scene
rate=$(steps_a_second)

# Slurm may send the signal up to a minute early: at once, in a job of a minute.
epochs=$(epochs_for 75)
twin signalled "$epochs"
write_deck signalled "${base[@]}" "train.epochs = $epochs"
job=$(submit signalled --time=1 --signal=B:USR1@30)
goes_on signalled "$job" 400 'goes back into the queue, restart 1'

# No signal comes: the program stops by itself before the end of the job.
write_deck alone "${base[@]}" "train.epochs = $epochs"
cp -r signalled-twin alone-twin
job=$(submit alone --time=1 --signal=B:CONT@1)
goes_on alone "$job" 400 '^stopped on request'

# Requeue is off: a job that depends on the first goes on.
write_deck successor "${base[@]}" "train.epochs = $epochs"
cp -r signalled-twin successor-twin
submit successor --time=1 --no-requeue --signal=B:CONT@1 >/dev/null
for ((i = 0; i < 1500; i++)); do
  [ -e successor/DONE ] && break
  sleep 0.2
done
expect "successor: its log has no successor" said successor 'a job that depends on this one goes on'
expect "successor: another model" cmp successor-twin/model.h5 successor/model.h5

# The cap: no third start.
write_deck capped "${base[@]}" "train.epochs = 100000"
job=$(OIDA_RESTARTS=0 submit capped)
expect "capped: does not run" await_state "$job" RUNNING 20
sleep 5
scancel --batch --signal=USR1 "$job"
expect "capped: does not fail" await_state "$job" FAILED 60
expect "capped: does not say why" said capped 'gives up'
finish
