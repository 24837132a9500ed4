#pragma once
// OIDA_BOTH: a function for the GPU and for the host. What a kernel does with one element is
// written so, once; the tests run it without a GPU.

#include <cstdint>

#ifdef __CUDACC__
#define OIDA_BOTH __host__ __device__
#else
#define OIDA_BOTH
#endif

namespace oida::cuda {

/// Counts elements of an array: 64-bit divisions cost a GPU several times as much. Arrays with more
/// elements are refused when the network is compiled.
using Index = std::uint32_t;

}  // namespace oida::cuda
