#!/usr/bin/env bash
# Bad input: exit code 2, one line that names the file or key, and nothing written.
#   bad_input_test.sh OIDA MPIEXEC NUMPROC_FLAG RANKS
source "$(dirname "$0")/lib.sh"
ranks=$4

make_scene
write_deck good

# broken NAME: a copy of the scene to break, and a deck that trains on it.
broken() {
  cp -r scene "$1"
  write_deck "deck_$1" "scene.path = $1/T3" "scene.labels = $1/labels.png"
}

scene_faults() {
  broken missing && rm missing/T3/T22.bin
  refused $ranks '[^:]*missing/T3.*T22' train deck_missing.ini
  broken short && truncate -s -4 short/T3/T13_imag.bin
  refused $ranks '[^:]*short/T3/T13_imag.bin: ' train deck_short.ini
  broken long && echo >>long/T3/T33.bin
  refused $ranks '[^:]*long/T3/T33.bin: ' train deck_long.ini
  broken other_size && sed -i 's/^samples.*/samples = 127/' other_size/T3/T11.bin.hdr
  refused $ranks '[^:]*other_size/T3' train deck_other_size.ini
  write_deck absent "scene.path = nowhere/T3"
  refused $ranks '[^:]*nowhere/T3: ' train absent.ini
  broken powerless && for file in powerless/T3/*.bin; do
    truncate -s 0 "$file" && truncate -s $((96 * 128 * 4)) "$file"
  done
  refused $ranks '[^:]+: ' train deck_powerless.ini
}

label_faults() {
  write_deck wide "synth.cols = 160" "scene.path = wide/T3" "scene.labels = wide/labels.png"
  ends 1 0 synth wide.ini
  write_deck sizes "scene.labels = wide/labels.png"
  refused $ranks '[^:]*wide/labels.png: .*96.*128' train sizes.ini
  write_deck no_labels "scene.labels = nowhere.png"
  refused $ranks '[^:]*nowhere.png: ' train no_labels.ini
  echo "no picture" >text.png
  write_deck text "scene.labels = text.png"
  refused $ranks '[^:]*text.png: ' train text.ini
  write_deck pairs "scene.labels = scene/labels.png" "scene.labels = scene/labels.png"
  refused $ranks 'scene.labels: ' train pairs.ini
  write_deck names "scene.class_names = Water" "scene.class_names = Bare soil" \
    "scene.class_names = Grassland" "scene.class_names = Crops" "scene.class_names = Forest" \
    "scene.class_names = Buildings" "scene.class_names = Glacier"
  refused $ranks 'scene.class_names: .*Glacier' train names.ini
}

deck_faults() {
  refused $ranks '[^:]*no_deck.ini: ' train no_deck.ini
  refused $ranks '[^:]*scene: cannot be read' train scene
  refused $ranks '/dev/zero: .*16 MB' train /dev/zero
  refused $ranks 'command line: ' train
  write_deck unknown "data.patchpx = 7"
  refused $ranks "[^:]*unknown.ini: .*'data.patchpx'" train unknown.ini
  refused $ranks "command line: .*--data.patchpx" train good.ini --data.patchpx=7
  write_deck twice "train.seed = 1" "train.seed = 2"
  refused $ranks 'train.seed: ' train twice.ini
  printf '[deck]\nbase = no_base.ini\n' >child.ini
  refused $ranks '[^:]*no_base.ini: ' train child.ini
  printf '[deck]\nbase = /dev/zero\n' >child.ini
  refused $ranks '/dev/zero: .*16 MB' train child.ini
  printf '[deck]\nbase = child.ini\n' >child.ini
  refused $ranks 'deck.base: ' train child.ini
  refused $ranks "command line: .*--deck.base" train good.ini --deck.base=good.ini
  refused $ranks 'data.resample_looks: .*log_t3' train good.ini --data.features=pauli \
    --data.resample_looks=4
  refused $ranks 'data.resample_looks: 2' train good.ini --data.resample_looks=2
  OMP_THREAD_LIMIT=1 refused $ranks 'device.threads: 2 threads where OMP_THREAD_LIMIT is 1' \
    train good.ini --device.threads=2
  write_deck unset_variable 'scene.path = ${OIDA_TEST_UNSET}/T3'
  refused $ranks '[^:]*unset_variable.ini: .*OIDA_TEST_UNSET' train unset_variable.ini
  echo "what is this" >words.ini
  refused $ranks '[^:]*words.ini: ' train words.ini
}

# What every rank finds alike needs no job of several.
value_faults() {
  local pair ranks=1
  write_deck unit "data.block_px = 64 px"
  refused $ranks "data.block_px: .*'64 px'.*4 to 65536" train unit.ini
  refused $ranks "train.epochs: .*'many'.*0.001 to" train good.ini --train.epochs=many
  refused $ranks 'train.momentum: 1.5 .*0 to 0.9999' train good.ini --train.momentum=1.5
  refused $ranks 'train.batch: 0 .*1 to 65536' train good.ini --train.batch=0
  refused $ranks "data.seed: .*'1.5'.*0 to" train good.ini --data.seed=1.5
  refused $ranks 'run.keep: 1 .*2 to' train good.ini --run.keep=1
  refused $ranks 'train.learning_rate: ' train good.ini --train.learning_rate=nan
  for pair in data.patch_px=8 data.speckle_filter=boxcar:4 data.speckle_filter=lee \
    data.speckle_filter=refined_lee:3 data.speckle_filter=refined_lee:7:0 \
    data.features=log_t4 data.features=log_c2 data.features=span,span \
    data.split=halves data.buffer_px=wide "model.layers=conv 8" \
    "model.layers=frobnicate 3" train.optimizer=lion oida.interleave=0 \
    oida.interleave=fast oida.interleave=plan:nowhere.json oida.exchange=gossip \
    oida.wire=int2 oida.merge=vote oida.merge_samples=0 device.node_ranks=-1 \
    device.memory_limit_mb=1 data.test_share=0.9999 scene.class_alias=Water; do
    refused $ranks "${pair%%=*}: " train good.ini "--$pair"
  done
  refused $ranks 'train.global_batch: ' train good.ini --train.global_batch=-1
  write_deck named "model.layers = "
  sed -i '/^layers/d' named.ini
  refused $ranks "model.name: .*'transformer'" train named.ini --model.name=transformer
  refused $ranks 'device.kind: ' train good.ini --device.kind=gpu
}

place_faults() {
  echo "in the way" >file
  refused $ranks 'run.dir: .*file' train good.ini --run.dir=file/run
  refused $ranks 'run.dir: .*/proc/' train good.ini --run.dir=/proc/oida_test
  refused $ranks 'run.dir: .*file' train good.ini --run.dir=file
}

command_faults() {
  local name
  refused $ranks 'oida.interleave: ' train good.ini --oida.interleave=0
  refused $ranks 'scene: .*file' synth good.ini --scene.labels=file/labels.png \
    --scene.path=unmade
  refused $ranks "command line: .*'grain'" grain good.ini
  refused $ranks 'command line: ' predict
  refused $ranks 'command line: ' inspect
  refused $ranks 'command line: ' synth
  refused $ranks '[^:]*no_deck.ini: ' synth no_deck.ini
  refused $ranks 'scene: .*file' synth good.ini --scene.path=file/T3
  mkdir mine && echo data >mine/T11.bin
  refused $ranks '[^:]*mine: ' synth good.ini --scene.path=mine
  refused $ranks '[^:]*nowhere: ' inspect nowhere
  for name in missing short long other_size powerless; do
    refused $ranks "[^:]*$name" inspect $name/T3
  done
  refused $ranks '[^:]*wide/labels.png: ' inspect scene/T3 --labels wide/labels.png
}

# N copies of one rank in place of a job: each is told so by the launcher's variable.
singletons() {
  export SLURM_STEP_NUM_TASKS=4
  refused 1 'launch: SLURM_STEP_NUM_TASKS' train good.ini
  refused 1 'launch: SLURM_STEP_NUM_TASKS' predict model.h5 scene/T3 --out map.tif
  export SLURM_PROCID=3
  ends 1 2 train good.ini
  expect "a singleton that is not the first speaks" test ! -s "$err"
  unset SLURM_STEP_NUM_TASKS SLURM_PROCID
}

scene_faults
label_faults
deck_faults
[ $ranks != 1 ] || value_faults
place_faults
command_faults
if [ $ranks = 1 ]; then
  singletons
else
  refused $ranks 'oida.exchange: none ' train good.ini --oida.exchange=none
  refused $ranks 'oida.merge: .*local' train good.ini --oida.merge=best --oida.exchange=local
  refused $ranks 'oida.merge: .*validation' train good.ini --oida.merge=best \
    --data.validation_share=0
  refused $ranks 'train.global_batch: ' train good.ini --train.global_batch=$((ranks - 1))
fi
finish
