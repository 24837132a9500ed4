#!/usr/bin/env bash
# Copies the headers and sources that the preset gpu-alone builds with into build/carry, for a
# machine that has a compiler, CMake and CUDA but none of these packages and no registry.
# usage: app/gpu_carry.sh       then, there: bash tests/gpu.sh --build
set -euo pipefail
cd "$(dirname "$0")/.."
carry=build/carry
rm -rf "$carry"
mkdir -p "$carry/include"
cp -r /usr/include/Random123 /usr/include/xxhash.h /usr/include/xxh3.h "$carry/include/"
cp -r /usr/src/googletest/googletest "$carry/"
du -sh "$carry"
