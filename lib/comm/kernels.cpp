#include "comm/kernels.hpp"

namespace oida {

std::vector<const Kernels*> kernels_here() {
  std::vector<const Kernels*> kernels;
  if (__builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0) {
    kernels.push_back(&kAvx512Kernels);
  }
  if (__builtin_cpu_supports("avx2") != 0) kernels.push_back(&kAvx2Kernels);
  kernels.push_back(&kPlainKernels);
  return kernels;
}

}  // namespace oida
