#!/usr/bin/env bash
# Forms of jobs: arrays of seeds and decks, mpiexec, prediction, weak studies, the studies that ship.
#   cluster_forms_test.sh OIDA MPIEXEC NUMPROC_FLAG GPU_PROBE
here=$(realpath "$(dirname "$0")")
source "$here/../app/lib.sh"
source "$here/cluster.sh"

short=("run.class_map = off")

# array NAME TASKS DECK...: submits and waits.
array() {
  local name=$1 tasks=$2
  shift 2
  sbatch --wait --job-name="$name" --nodes=2 --ntasks-per-node=1 --array="$tasks" \
    --output=%x-%A_%a.log "$scripts/train.sbatch" "$@" >"$out" 2>"$err"
}

seeds() {
  local seed
  write_deck seeds "${short[@]}"
  expect "seeds: the array failed" array seeds 1-3 seeds.ini
  for seed in 1 2 3; do
    expect "seeds: no seed $seed" test -e seeds-seed-$seed/DONE
    expect "seeds: not seed $seed" grep -qE "\"seed\": \"?$seed\"?[,}]?$" seeds-seed-$seed/run.json
  done
  expect "seeds: no log a task" test "$(find . -name "seeds-*_[123].log" | wc -l)" = 3
  expect "seeds: two seeds, one model" eval '! cmp -s seeds-seed-1/model.h5 seeds-seed-2/model.h5'
}

decks() {
  write_deck first "${short[@]}"
  write_deck second "${short[@]}" "train.learning_rate = 0.01"
  expect "decks: the array failed" array decks 1-2 first.ini second.ini
  expect "decks: not both" test -e first/DONE -a -e second/DONE
  array decks 3 first.ini second.ini
  expect "decks: a task without a deck" grep -q 'array task 3 has no deck' decks-*_3.log
}

by_mpiexec() {
  write_deck by_srun "${short[@]}"
  write_deck by_mpiexec "${short[@]}"
  expect "srun: the job failed" submit by_srun --wait
  OIDA_LAUNCHER=mpiexec
  export OIDA_LAUNCHER
  expect "mpiexec: the job failed" submit by_mpiexec --wait
  unset OIDA_LAUNCHER
  expect "mpiexec: not on 2 nodes of 2 units" test "$(grep -c '"host": "node[12]"' by_mpiexec/run.json)" -ge 4
  expect "mpiexec: another model" cmp by_srun/model.h5 by_mpiexec/model.h5
}

prediction() {
  expect "predict: the job failed" sbatch --wait --nodes=2 --ntasks-per-node=2 --output=predict.log \
    "$scripts/predict.sbatch" by_srun/model.h5 scene/T3 --out map.tif
  expect "predict: no map" test -s map.tif
  ends 1 0 predict by_srun/model.h5 scene/T3 --out alone.tif --device.threads=1
  expect "predict: another map than one rank's" cmp map.tif alone.tif
}

weak_study() {
  cat >weak.ini <<TXT
[study]
title = Weak
deck = seeds.ini
kind = weak
batch = 16
epochs = 1
minutes = 5
repeats = 2
point = cpu 1 1
point = cpu 2 1
TXT
  bash "$scripts/scaling.sh" weak.ini --out weak >"$out" 2>"$err"
  code=$?
  expect "weak: exit code $code" test $code = 0
  expect "weak: the text" grep -q '^4 of 4 runs finished; weak' weak/scaling.md
  expect "weak: not two points of two runs" test "$(grep -c '^A,"cpu","oida",[12],1,[12],1,2,' weak/scaling.csv)" = 2
}

# The studies that ship, each in its small form; GPU points have a reason in place of a number, and a
# study without any number fails.
shipped() {
  local study=$1 cpu=$2 gpu=$3 wanted=0
  [ "$cpu" != 0 ] || wanted=1
  bash "$scripts/scaling.sh" "$house/inputs/$study.ini" --small --out "$study" >"$out" 2>"$err"
  code=$?
  expect "$study: exit code $code" test $code = $wanted
  expect "$study: not $cpu points" test "$(grep -c '^A,"cpu"' "$study/scaling.csv")" = "$cpu"
  expect "$study: not $gpu reasons" test "$(grep -c '^"gpu-.*,failed,"device.kind: ' "$study/runs.csv")" = "$gpu"
  expect "$study: numbers for GPUs" test "$(grep -c '^A,"gpu"' "$study/scaling.csv")" = 0
}

cluster_up 5
make_scene
seeds
decks
by_mpiexec
prediction
weak_study
shipped paper-smp 4 0
shipped paper-mmd 5 0
shipped paper-cpu-gpu 1 2
shipped paper-10-card 0 4
finish
