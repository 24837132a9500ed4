#!/usr/bin/env bash
# What has to be seen on a machine with a GPU: the engines' common suite, a part of it under
# compute-sanitizer, the step's benchmark, and a small training on CPU and GPU.
# usage: tests/gpu.sh [BUILD]    in a bundle of app/gpu_bundle.sh: gpu.sh
#        tests/gpu.sh --build    builds the preset gpu-alone first (app/gpu_carry.sh brings what the
#                                machine lacks); what needs the executable is not run then
# Without a GPU it says "not run" and exits 0 (with OIDA_SKIP_CODE set: with that code).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'
}

# Only the machine's own architecture, where there is one to ask: half of the time.
build_alone() {
  local options=()
  if has_gpu; then options=(-DCMAKE_CUDA_ARCHITECTURES=native); fi
  cd "$here/.."
  cmake --preset gpu-alone "${options[@]}" >/dev/null
  cmake --build --preset gpu-alone --target engine_test oida_bench_gpu oida_cuda
}

if [[ ${1:-} == --build ]]; then
  SECONDS=0
  (build_alone)
  echo "built in $SECONDS s"
  folder=$(cd "$here/../build/gpu-alone" && pwd)
elif [[ -d $here/bin ]]; then  # a bundle
  folder=$here
else
  folder=$(cd "${1:-$here/../build/release}" && pwd)
fi

not_run() {
  echo "not run: $*"
  exit "${OIDA_SKIP_CODE:-0}"
}

# program NAME: its path in a build folder or in a bundle.
program() {
  local place
  for place in "$folder" "$folder/bin" "$folder/tests/engine" "$folder/perf"; do
    if [[ -x $place/$1 ]]; then
      echo "$place/$1"
      return
    fi
  done
  echo "not run: $folder has no $1" >&2
  return 1
}

# Where pip's wheels keep CUDA's libraries, for a bundle on a machine without a toolkit.
wheel_libraries() {
  local site
  site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null) || return 0
  find "$site/nvidia" -maxdepth 2 -type d -name lib 2>/dev/null | paste -sd: - || true
}

cuda=/usr/local/cuda
found=$folder/lib:$(wheel_libraries):$cuda/lib64:$cuda/lib
export LD_LIBRARY_PATH=$found${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

if has_gpu; then
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
else
  not_run "no GPU"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

echo "== the engines' common suite"
OIDA_REQUIRE_GPU=1 "$(program engine_test)" --gtest_brief=1 \
  --gtest_filter='*/cuda_1*:Cuda*:Devices*' || failures=$((failures + 1))

echo "== compute-sanitizer"
if command -v compute-sanitizer >/dev/null; then
  timeout 100 compute-sanitizer --error-exitcode 3 "$(program engine_test)" --gtest_brief=1 \
    --gtest_filter='*/cuda_1_small_unet:*/cuda_1_cv_cnn:*/cuda_1_group_norm' |
    tail -n 4 || failures=$((failures + 1))
else
  echo "not run: no compute-sanitizer"
fi

echo "== the step"
"$(program oida_bench_gpu)" 1024 || failures=$((failures + 1))

# trained KIND: trains on it, and prints what it reached.
trained() {
  "$oida" train "$work/gpu.ini" --device.kind="$1" --run.dir="$work/$1" >"$work/$1.log" 2>&1 || {
    tail -n 5 "$work/$1.log"
    failures=$((failures + 1))
    return 0
  }
  python3 - "$1" "$work/$1" <<'PY'
import json, sys
kind, run = sys.argv[1:]
timing, test = (json.load(open(f"{run}/{name}.json")) for name in ("timing", "test"))
print(f"| {kind} | {timing['train_s']:.2f} | {timing['samples_per_s']:.0f} "
      f"| {timing['pixels_per_s'] / 1e6:.2f} | {test['oa']:.4f} |")
PY
}

echo "== equal data on CPU and GPU"
if oida=$(program oida); then
  if [[ -d $here/bin ]]; then
    cp -r "$here/scene" "$here/gpu.ini" "$work/"
  else
    cp "$here/gpu.ini" "$work/"
    "$oida" synth "$work/gpu.ini" >"$work/synth.log" 2>&1 || {
      tail -n 5 "$work/synth.log"
      failures=$((failures + 1))
    }
  fi
  echo "| device | train s | samples/s | Mpx/s | OA |"
  echo "|---|---:|---:|---:|---:|"
  trained cpu
  trained gpu
fi

[[ $failures -eq 0 ]] && echo "gpu: all green" || echo "gpu: $failures parts failed"
exit $((failures > 0))
