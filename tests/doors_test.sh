#!/usr/bin/env bash
# Which room may include which, and where third parties live. usage: doors_test.sh SOURCE_DIR
set -euo pipefail
cd "$1"
failures=0

complain() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# room FOLDER ALLOWED...: project headers included under FOLDER come from the allowed folders only.
room() {
  local folder=$1 line target allowed
  shift
  while IFS= read -r line; do
    target=$(sed -E 's/.*#include "([^"]+)".*/\1/' <<<"$line")
    for allowed in "$@"; do
      [[ $target == "$allowed"/* ]] && continue 2
      [[ $target == "$allowed" ]] && continue 2
    done
    complain "$line"
  done < <(grep -rnE '#include "[a-z0-9_]+/' "$folder" --include='*.?pp' --include='*.cu*' || true)
}

# home PATTERN FOLDER...: headers that match are included in these folders only (and in tests, perf).
home() {
  local pattern=$1 file folder
  shift
  while IFS= read -r file; do
    for folder in "$@"; do
      [[ $file == "$folder"/* ]] && continue 2
    done
    complain "$file includes $pattern"
  done < <(grep -rlE "#include <($pattern)" app lib io || true)
}

room lib/core core
room lib/polsar polsar core
room lib/data data polsar core
room lib/nn nn core
room lib/comm comm core
room lib/engine engine nn data/batch.hpp comm/exchange.hpp core
room lib/oida oida data engine comm nn core
room io io polsar data nn oida/records.hpp oida/archive.hpp core

home 'mpi\.h' lib/comm
home 'cuda|cudnn|cublas|nccl' lib/engine/cuda
home 'dnnl' lib/engine/onednn
home 'gdal|ogr|cpl_|hdf5|H5|matio|md4c' io
home 'boost/' app
home 'Random123' lib/core
home 'xxhash' lib/core
home 'nlohmann' app io lib/core

[[ $failures -eq 0 ]] && echo "every include goes through a door"
exit $((failures > 0))
