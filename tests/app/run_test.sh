#!/usr/bin/env bash
# What a run leaves behind, and what it must leave alone.
#   run_test.sh OIDA MPIEXEC NUMPROC_FLAG RUN_CHECK
source "$(dirname "$0")/lib.sh"
run_check=$4

# A whole run: every file of the run directory, timing that adds up, a second start that does
# nothing, and predict's map.
whole_run() {
  local ranks=$1 before file
  # Seconds of training: a hundredth of them is more than ranks differ by in seeing a barrier end.
  write_deck whole "run.trace = on" "data.validation_share = 0.2" "train.epochs = 80"
  ends $ranks 0 train whole.ini
  for file in run.json metrics.csv timing.json trace.json model.h5 test.json report.md DONE \
    quicklook.png class_map.png class_map.tif; do
    expect "$ranks ranks: $file is missing or empty" test -s "whole/$file"
  done
  for file in lock FAILED; do
    expect "$ranks ranks: $file is left" test ! -e "whole/$file"
  done
  expect "$ranks ranks: part files are left" test -z "$(find whole -name '*.part*')"
  expect "$ranks ranks: run.json" "$run_check" record whole 0
  expect "$ranks ranks: timing.json" "$run_check" timing whole
  expect "$ranks ranks: files" "$run_check" files whole
  before=$(listing)
  ends $ranks 0 train whole.ini
  expect "$ranks ranks: the second start does not say that all is done" grep -q '^already done' "$out"
  expect "$ranks ranks: the second start changed files" test "$before" = "$(listing)"
  refused $ranks 'run.resume: no' train whole.ini --run.resume=no
  ends $ranks 0 predict whole/model.h5 scene/T3 --out map.tif
  expect "$ranks ranks: map" "$run_check" same_map map.tif whole/class_map.tif
}

# --check writes nothing, --dry-run nothing into the run directory.
without_traces() {
  local ranks=$1 before
  before=$(listing)
  ends $ranks 0 train whole.ini --check --run.dir=unmade/
  expect "$ranks ranks: --check wrote" test "$before" = "$(listing)"
  ends $ranks 0 train whole.ini --dry-run
  expect "$ranks ranks: --dry-run touched the run directory" \
    test "$before" = "$(listing | grep -v '^./whole.dry-run')"
  rm -rf whole.dry-run
  ends $ranks 0 train whole.ini --dry-run --run.dir=whole/
  expect "$ranks ranks: --dry-run touched run.dir=whole/" \
    test "$before" = "$(listing | grep -v '^./whole.dry-run')"
  rm -rf whole.dry-run
}

skewed_shards() {
  write_deck skewed "data.shards = spatial" "train.epochs = 1"
  ends 2 0 train skewed.ini
  expect "the report does not name skewed shards" \
    grep -q 'shards are skewed by label' skewed/report.md
  expect "the report has no table of shards" grep -q '^## Shards' skewed/report.md
}

# Ways to share what units learn, on ranks that are nodes of their own; a plan replays its bits.
exchanges() {
  local set nodes="--device.node_ranks=1"
  for set in oida.exchange=local oida.merge=best oida.wire=int4; do
    ends 2 0 train whole.ini $nodes --train.epochs=2 --$set --run.dir=$set
  done
  ends 2 0 train whole.ini $nodes --train.epochs=2 --oida.exchange=allreduce --oida.wire=bf16 \
    --run.dir=allreduce
  expect "timing.json does not name the wire" grep -q '"wire": "bf16"' allreduce/timing.json
  ends 2 0 train whole.ini $nodes --oida.interleave=auto --run.dir=tuned
  ends 2 0 train whole.ini $nodes --oida.interleave=plan:tuned/run.json --run.dir=replayed
  expect "no wire_plan" grep -q '"wire_plan"' tuned/run.json
  expect "the replayed plan gives another model" cmp tuned/model.h5 replayed/model.h5
}

helps() {
  local command
  for command in train predict inspect synth; do
    ends 1 0 $command --help
    expect "$command --help says nothing" test -s "$out"
  done
  ends 1 0 --help
  ends 1 0 --version
  ends 2 0 train --help
  expect "--help is printed once" test "$(grep -c '^oida train' "$out")" = 1
}

# The scene has 96 x 128 pixels, and each has one label.
inspects() {
  ends 1 0 inspect scene/T3 --labels scene/labels.png
  expect "inspect: size" grep -q '^size    96 rows x 128 columns' "$out"
  expect "inspect: the pixels of all labels" test \
    "$(sed -n '/^labels/,$p' "$out" | awk 'NR > 1 { sum += $2 } END { print sum }')" = 12288
  ends 1 0 inspect scene/T3 --json
  expect "inspect: JSON" grep -q '"pixels": 12288' "$out"
}

# resolved KEY: its values in what --check printed last, in one line.
resolved() {
  sed -n "s/^$1 = //p" "$out" | paste -sd, -
}

# gives KEY VALUES ARGUMENTS...: the resolved deck says so.
gives() {
  local key=$1 wanted=$2
  shift 2
  ends 1 0 train "$@" --check
  expect "$*: $key is '$(resolved "$key")', expected '$wanted'" test "$(resolved "$key")" = "$wanted"
}

decks() {
  write_deck keys "data.seed = 5" "  # data.seed = 6" "train.seed = 7"
  sed -i '1i # a comment' keys.ini
  gives patch_px 7 keys.ini
  gives patch_px 5 keys.ini --data.patch_px=5
  gives patch_px 5 --data.patch_px 5 keys.ini
  gives layers 'conv 8 3 relu,dense 16 relu' keys.ini
  gives layers 'conv 4 3 relu' keys.ini '--model.layers=conv 4 3 relu'
  gives block_px 64 keys.ini
  mkdir 'a#b' && cp -r scene 'a#b/scene' && cp keys.ini 'a#b/keys.ini'
  sed -i 's|^path.*|path = ../a#b/scene/T3|' 'a#b/keys.ini'
  gives path "$PWD/a#b/scene/T3" 'a#b/keys.ini'
  gives dir "$PWD/a#b/keys" 'a#b/keys.ini'
  sed -i '/^dir/d' 'a#b/keys.ini'
  gives dir "$PWD/a#b/runs/keys" 'a#b/keys.ini'
  gives dir "$PWD/a#b/runs/keys" --data.patch_px 5 'a#b/keys.ini'
  printf '[deck]\nbase = keys.ini\n[data]\npatch_px = 5\n[model]\nlayers = conv 4 3\n' >child.ini
  gives patch_px 5 child.ini
  gives layers 'conv 4 3' child.ini
  gives block_px 64 child.ini
  gives path "$PWD/scene/T3" child.ini
  gives patch_px 9 child.ini --data.patch_px=9
  export OIDA_TEST_PLACE=$PWD/scene
  sed -i 's|^path.*|path = ${OIDA_TEST_PLACE}/T3|' keys.ini
  gives path "$PWD/scene/T3" keys.ini
}

bad_models() {
  local ranks=$1
  head -c 3000 whole/model.h5 >cut.h5
  refused $ranks '[^:]*cut.h5: ' predict cut.h5 scene/T3 --out map2.tif
  echo "no model" >text.h5
  refused $ranks '[^:]*text.h5: ' predict text.h5 scene/T3 --out map2.tif
  refused $ranks '[^:]*nowhere.h5: ' predict nowhere.h5 scene/T3 --out map2.tif
  refused $ranks '[^:]*nowhere: ' predict whole/model.h5 nowhere --out map2.tif
  refused $ranks '[^:]*text.h5/map.tif: ' predict whole/model.h5 scene/T3 --out text.h5/map.tif
  rm -f wide.h5
  expect "a model for other features" "$run_check" widen whole/model.h5 wide.h5
  refused $ranks '[^:]*wide.h5: ' predict wide.h5 scene/T3 --out map2.tif
}

make_scene
helps
whole_run 2
without_traces 2
decks
bad_models 1
bad_models 4
skewed_shards
exchanges
rm -rf whole
whole_run 1
inspects
finish
