// The CUDA room where it is not built: no devices.

#include "engine/engine.hpp"

namespace oida {

std::vector<Device> gpu_devices() {
  return {};
}

std::string cuda_version() {
  return "not built";
}

}  // namespace oida
