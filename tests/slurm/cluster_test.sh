#!/usr/bin/env bash
# Jobs on a Slurm of eight nodes: undisturbed, stopped by USR1, cancelled, a node lost; GPUs; a study.
#   cluster_test.sh OIDA MPIEXEC NUMPROC_FLAG GPU_PROBE
here=$(realpath "$(dirname "$0")")
probe=$(realpath "$4")
source "$here/../app/lib.sh"
source "$here/cluster.sh"

long=("train.epochs = 24" "train.learning_rate = 0.005" "oida.validate_every = 24"
  "run.checkpoint_every_s = 0.2" "data.validation_share = 0.3" "run.class_map = off"
  "run.stall_timeout_s = 10")

same_model() {
  cmp straight/model.h5 "$1/model.h5"
}

# ended NAME JOB SECONDS: the job comes to its end, and the model is the undisturbed one's.
ended() {
  expect "$1: does not end" await_state "$2" COMPLETED "$3"
  expect "$1: no DONE" test -e "$1/DONE"
  expect "$1: another model" same_model "$1"
  [ -e "$1/DONE" ] || show_log "$1"
}

undisturbed() {
  write_deck straight "${long[@]}"
  expect "undisturbed: the job failed" submit straight --wait
  [ -e straight/DONE ] || { show_log straight; finish; }
  expect "undisturbed: not on 2 nodes of 2 units" \
    test "$(grep -c '"host": "node[12]"' straight/run.json)" -ge 4
}

# One line a rank as "HOST NODE_RANK DEVICE", whatever way the devices were asked for.
gpus() {
  local wanted found
  wanted=$(printf '%s\n' "node1 0 0" "node1 1 1" "node2 0 0" "node2 1 1")
  found=$(timeout 60 srun --mpi=pmi2 --nodelist=node1,node2 --ntasks-per-node=2 "$@" "$probe" 2>"$err" | sort)
  expect "GPUs by $*: '$found'" test "$found" = "$wanted"
}

missing_gpu() {
  write_deck card "${long[@]}"
  submit card --wait --gpus-per-node=2 >/dev/null
  expect "GPU in name only: not refused" said card '^oida: error: device.kind: '
  expect "GPU in name only: another exit code" said card '^oida job: exit code 2$'
  expect "GPU in name only: a run directory" test ! -e card
}

small_study() {
  write_deck tiny "train.epochs = 1" "run.class_map = off"
  cat >study.ini <<TXT
[study]
title = Five jobs
deck = tiny.ini
kind = strong
minutes = 5
point = cpu 1 1
point = cpu 1 2
point = cpu 2 1
point = cpu 2 2
point = cpu 2 1 --oida.exchange=allreduce
TXT
  bash "$scripts/scaling.sh" study.ini --out study >"$out" 2>"$err"
  code=$?
  expect "study: exit code $code" test $code = 0
  expect "study: not five points" test "$(wc -l <study/scaling.csv)" = 6
  expect "study: the text" grep -q '^5 of 5 runs finished; strong' study/scaling.md
  expect "study: no page" test -s study/scaling.html
}

cluster_up 8
make_scene
undisturbed
gpus --gpus-per-node=2
gpus --gpus-per-task=1
gpus --gres=gpu:2
gpus --gpus-per-node=2 --gpu-bind=map_gpu:0,1
missing_gpu

for name in asked lost cancelled; do write_deck $name "${long[@]}"; done
asked=$(submit asked)
expect "USR1: no checkpoint came" await_round asked 30
scancel --batch --signal=USR1 "$asked"
cancelled=$(submit cancelled)
expect "scancel: no checkpoint came" await_round cancelled 30
scancel "$cancelled"
lost=$(submit lost)
expect "lost node: no checkpoint came" await_round lost 30
victim=$(nodes_of "$lost" | tail -n 1)
"$cluster" kill "$victim"
small_study

expect "scancel: the job goes on" await_state "$cancelled" CANCELLED 20
expect "scancel: DONE" test ! -e cancelled/DONE
expect "scancel: started again" eval '! said cancelled "into the queue"'
again=$(submit cancelled)
ended cancelled "$again" 60
expect "scancel: not resumed" said cancelled '^resumed from the checkpoint'

ended asked "$asked" 90
expect "USR1: not put back into the queue" said asked 'goes back into the queue, restart 1'
expect "USR1: not resumed" said asked '^resumed from the checkpoint'
ended lost "$lost" 120
expect "lost node: not resumed" said lost '^resumed from the checkpoint'
expect "lost node: nobody tells" said lost "^oida: error: .*(does not answer: lost or stalled|lost another in round)|Node failure on $victim"
[ "$failures" = 0 ] || show_log lost
finish
