#pragma once
// The loops over floats, compiled for several instruction sets; all give the same bits.

#include <cstddef>
#include <vector>

#include "comm/wire.hpp"

namespace oida {

struct Kernels {
  const char* name;
  /// sum[i] = (parts[0][i] + parts[1][i]) + ...; sum may be one of the parts.
  void (*add_up)(const float* const* parts, std::size_t n_parts, std::size_t count, float* sum);
  /// Rounds values + remainder into wire_bytes() at `to`; remainder becomes what is left out, zero
  /// in a block that is not finite. @pre wire is not fp32
  void (*encode)(Wire wire, const float* values, std::size_t count, float* remainder,
                 std::byte* to);
  void (*decode)(Wire wire, const std::byte* from, std::size_t count, float* values);
};

extern const Kernels kPlainKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

/// Those that this CPU runs, the fastest first.
std::vector<const Kernels*> kernels_here();

}  // namespace oida
