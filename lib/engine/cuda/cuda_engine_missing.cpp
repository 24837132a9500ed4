// The engine where the program was built without what it needs.

#include "core/error.hpp"
#include "engine/cuda/cuda_engine.hpp"

namespace oida {

bool has_cuda_engine() {
  return false;
}

std::string cuda_libraries() {
  return "not built";
}

std::unique_ptr<Engine> make_cuda_engine(const Network&, const EngineOptions&) {
  throw InputError(
      "device.engine",
      "cuda: this program was built without CUDA, cuBLAS or cuDNN (CUDA " + cuda_version() + ")");
}

}  // namespace oida
