#!/usr/bin/env bash
# Packs what tests/gpu.sh needs on a machine that has a GPU, a driver and CUDA's libraries (a
# toolkit, or pip's wheels) but none of the other packages: programs, their shared libraries, a
# small scene.
# usage: app/gpu_bundle.sh BUILD OUT.tar.xz      then: tar xf OUT.tar.xz && bash oida-gpu/gpu.sh
set -euo pipefail
build=$(cd "${1:?usage: app/gpu_bundle.sh BUILD OUT.tar.xz}" && pwd)
out=$(realpath "${2:?usage: app/gpu_bundle.sh BUILD OUT.tar.xz}")
cd "$(dirname "$0")/.."
limit_bytes=$((64 * 1024 * 1024))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=$work/oida-gpu
mkdir -p "$bundle/bin" "$bundle/lib"

programs=(oida liboida_cuda.so tests/engine/engine_test perf/oida_bench_gpu)
for program in "${programs[@]}"; do
  cp "$build/$program" "$bundle/bin/"
done
strip "$bundle"/bin/*

# The machine's own: the C and C++ runtimes, the driver, CUDA.
own='/(ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libcuda|libcublas|libcublasLt|libcudnn)[^/]*\.so'
for program in "$bundle"/bin/*; do
  ldd "$program" | awk '$3 ~ /^\// { print $3 }'
done | sort -u | { grep -vE "$own" || true; } | xargs -I{} cp -L {} "$bundle/lib/"
strip --strip-unneeded "$bundle"/lib/*.so* 2>/dev/null || true

cp tests/gpu.sh tests/gpu.ini "$bundle/"
"$build/oida" synth "$bundle/gpu.ini" >/dev/null

tar -C "$work" -cJf "$out" oida-gpu
bytes=$(stat -c %s "$out")
echo "$out: $((bytes / 1024 / 1024)) MiB"
if [[ $bytes -ge $limit_bytes ]]; then
  echo "$out is over 64 MiB" >&2
  exit 1
fi
