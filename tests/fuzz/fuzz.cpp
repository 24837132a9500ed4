// libFuzzer's door to one target, named by OIDA_FUZZ_TARGET.

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "fuzz/targets.hpp"

namespace {

const oida::fuzz::Target& chosen() {
  for (const auto& target : oida::fuzz::targets()) {
    if (target.name == std::string(OIDA_FUZZ_TARGET)) return target;
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const oida::fuzz::Target& target = chosen();
  const std::string wrong =
      oida::fuzz::fault(target, std::string(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::cerr << target.name << ": " << wrong << std::endl;
  std::abort();
}
