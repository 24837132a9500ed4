#pragma once
// Every engine that the suite runs on: one line each.

#include <ostream>
#include <string>
#include <vector>

#include "engine/cuda/cuda_engine.hpp"

namespace oida::test {

struct EngineKind {
  std::string kind;
  int threads = 1;
};

/// Whether the cuda engine can run here.
inline bool has_gpu() {
  return has_cuda_engine() && !gpu_devices().empty();
}

/// "cuda_host" is the cuda engine on host_card.hpp.
inline std::vector<EngineKind> engine_kinds() {
  std::vector<EngineKind> kinds{{"reference", 1}, {"onednn", 1}, {"onednn", 2}, {"cuda_host", 1}};
  if (has_gpu()) kinds.push_back({"cuda", 1});
  return kinds;
}

inline std::ostream& operator<<(std::ostream& out, const EngineKind& engine) {
  return out << engine.kind << "_" << engine.threads;
}

}  // namespace oida::test
