// Which GPUs this process sees, by the CUDA runtime, which is linked statically: the executable
// starts where no driver is installed.

#include <iomanip>
#include <sstream>

#include <cuda_runtime_api.h>

#include "core/error.hpp"
#include "engine/engine.hpp"

namespace oida {
namespace {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw Error("cuda", std::string(call) + ": " + cudaGetErrorString(code));
}

int device_count() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver) return 0;
  check(code, "cudaGetDeviceCount");
  return count;
}

/// As nvidia-smi prints it: GPU-8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::ostringstream text;
  text << "GPU" << std::hex << std::setfill('0');
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || (i >= 4 && i <= 10 && i % 2 == 0)) text << '-';
    text << std::setw(2) << static_cast<int>(static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text.str();
}

}  // namespace

std::vector<Device> gpu_devices() {
  std::vector<Device> devices;
  for (int ordinal = 0; ordinal < device_count(); ++ordinal) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
    devices.push_back(
        {ordinal, properties.name, uuid_text(properties.uuid), properties.totalGlobalMem});
  }
  return devices;
}

std::string cuda_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace oida
