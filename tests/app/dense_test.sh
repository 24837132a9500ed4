#!/usr/bin/env bash
# Networks that give every pixel of a tile its class, from deck to map.
#   dense_test.sh OIDA MPIEXEC NUMPROC_FLAG RUN_CHECK RANKS
here=$(realpath "$(dirname "$0")")
source "$here/lib.sh"
source "$here/jobs.sh"
run_check=$4 ranks=$5

dense=("model.output = dense" "data.tile_px = 16" "data.tile_shift_px = 6"
  "data.split = checkerboard" "data.block_px = 32" "data.max_per_class = 0"
  "data.validation_share = 0.2" "model.layers = conv 6 3 relu as fine"
  "model.layers = max_pool 2" "model.layers = conv 8 3 relu" "model.layers = upsample 2"
  "model.layers = concat fine" "model.layers = conv 6 3 relu" "train.global_batch = 4"
  "device.engine = reference")

whole_run() {
  write_deck whole "${dense[@]}" "train.epochs = 6" "run.probabilities = on" "run.entropy = on"
  ends $ranks 0 train whole.ini
  expect "run.json" "$run_check" record whole 0
  expect "timing.json" "$run_check" timing whole
  expect "files" "$run_check" files whole
  expect "rasters" "$run_check" rasters whole
  expect "accuracy by block" grep -q '^## Accuracy by block' whole/report.md
  ends $ranks 0 predict whole/model.h5 scene/T3 --out map.tif --device.engine=reference
  expect "predict's map is not the run's" "$run_check" same_map map.tif whole/class_map.tif
  ends 1 0 predict whole/model.h5 scene/T3 --out map1.tif --device.engine=reference
  expect "another number of ranks gives another map" "$run_check" same_map map.tif map1.tif
}

# The same model after a kill; validations wait for their verdict in the checkpoints.
kill_and_resume() {
  local long=("oida.validate_every = 6" "run.class_map = off" "train.average_share = 0.7"
    "data.augmentation = dihedral" "data.orientation_deg = 20" "data.resample_looks = 16"
    "data.balanced_share = 0.5")
  long+=("train.epochs = $(epochs_lasting 2.5 $ranks "${dense[@]}" "${long[@]}")")
  write_deck straight "${dense[@]}" "${long[@]}"
  ends $ranks 0 train straight.ini
  write_deck killed "${dense[@]}" "${long[@]}" "run.checkpoint_every_s = 0.05"
  start $ranks train killed.ini
  expect "the run ended before it could be killed" await_checkpoints killed 1
  kill_rank $((ranks - 1))
  await_end
  expect "a killed run ends well" test "$code" != 0
  expect "ranks are left" no_ranks_left
  ends $ranks 0 train killed.ini
  expect "it did not resume" grep -q '^resumed from the checkpoint of round' "$out"
  expect "another model after a kill" cmp straight/model.h5 killed/model.h5
}

# refuses PATTERN KEY...: --check says so.
refuses() {
  local pattern=$1
  shift
  refused $ranks "$pattern" train whole.ini --check --run.dir=none "$@"
}

bad_decks() {
  refuses 'data.tile_px: 15 px do not fit the network .*multiples of 2' --data.tile_px=15
  refuses 'data.tile_px: 48.*data.block_px' --data.tile_px=48
  refuses 'model.layers: ' --model.layers='dense 8 relu'
  refuses 'model.layers: ' --model.layers='conv 8 3 relu' --model.layers='max_pool 2'
  refuses 'model.output: ' --model.output=pixels
  refuses 'data.tile_px: ' --data.tile_px=0
  refuses 'data.block_px: ' --data.buffer_px=16
  write_deck named "model.output = dense"
  sed -i '/^layers/d' named.ini
  refused $ranks "model.output: network 'oceantda9' has output class" train named.ini
  refused $ranks 'data.tile_px: 30 .*multiples of 4' train named.ini --model.name=unet \
    --data.tile_px=30
}

make_scene
whole_run
kill_and_resume
bad_decks
finish
