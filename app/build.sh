#!/usr/bin/env bash
# Configures and builds into build/release; says one line while it does, all of it when it fails.
# usage: app/build.sh [PRESET] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
mkdir -p build
log=build/build-$preset.log
echo "oida: building ($preset), details in $log"
if ! { cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}; } >"$log" 2>&1; then
  grep -E -A5 'error:|Error|FAILED' "$log" | head -n 40 >&2 || true
  exit 1
fi
grep -E '^-- oida:' "$log" || true
