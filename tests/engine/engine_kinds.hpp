#pragma once
// Every engine that the suite runs on: one line each.

#include <ostream>
#include <string>
#include <vector>

namespace oida::test {

struct EngineKind {
  std::string kind;
  int threads = 1;
};

inline std::vector<EngineKind> engine_kinds() {
  return {{"reference", 1}, {"onednn", 1}, {"onednn", 2}};
}

inline std::ostream& operator<<(std::ostream& out, const EngineKind& engine) {
  return out << engine.kind << "_" << engine.threads;
}

}  // namespace oida::test
