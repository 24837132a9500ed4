#!/usr/bin/env bash
# SIGKILL at random moments; after so many the run ends with the very model of one left alone.
#   kill_test.sh OIDA MPIEXEC NUMPROC_FLAG RANKS KILLS [SEED]
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
ranks=$4 kills=$5
RANDOM=${6:-1}

# Checkpoints are on their way nearly all the time, candidates in most of them.
run=("train.epochs = 24" "train.learning_rate = 0.005" "oida.validate_every = 8"
  "run.checkpoint_every_s = 0.01" "data.validation_share = 0.3" "run.class_map = off"
  "train.optimizer = adagrad_window" "oida.interleave = 3")

# What the job was at when it was killed, as far as its files tell.
moment() {
  if [ ! -e killed/run.json ]; then
    echo start-up
  elif ls killed/checkpoints/*.part >/dev/null 2>&1; then
    echo checkpoint
  elif [ -e killed/model.h5 ]; then
    echo outputs
  else
    echo training
  fi
}

# One rank, or the launcher and all ranks at once, within the time that a whole run takes; every
# fourth kill waits until a checkpoint is being written.
kill_one() {
  local nth=$1 pids wait_ms=$((RANDOM % took_ms))
  start $ranks train killed.ini
  sleep "$(seconds $wait_ms)"
  if [ $((nth % 4)) = 0 ]; then
    until ls killed/checkpoints/*.part >/dev/null 2>&1 || ! kill -0 $job 2>/dev/null; do :; done
  fi
  mapfile -t pids < <(rank_pids)
  if [ $((RANDOM % 2)) = 0 ] || [ ${#pids[@]} = 0 ]; then
    kill -9 $job "${pids[@]}" 2>/dev/null
  else
    kill -9 "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null
  fi
  moments+=" $(moment)"
  await_end
  expect "kill $nth: ranks are left" no_ranks_left
  # Killed after it had ended: it ends anew.
  [ ! -e killed/DONE ] || same_model "before kill $nth"
}

same_model() {
  expect "$1: another model" cmp straight/model.h5 killed/model.h5
  expect "$1: other validations" \
    cmp <(cut -d, -f-3,5- straight/metrics.csv) <(cut -d, -f-3,5- killed/metrics.csv)
  rm -rf killed
}

make_scene
write_deck straight "${run[@]}"
timed ends $ranks 0 train straight.ini
write_deck killed "${run[@]}"
moments=""
for ((nth = 1; nth <= kills; nth++)); do kill_one $nth; done
ends $ranks 0 train killed.ini
same_model "after $kills kills"
echo "killed in:$(tr ' ' '\n' <<<"$moments" | sort | uniq -c | tr -s '\n ' ' ')"
finish
