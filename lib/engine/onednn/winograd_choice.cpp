#include "engine/onednn/winograd_choice.hpp"

#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// The library's avx512_core stands for AVX-512 F, BW, DQ and VL.
bool winograd_runs_here() {
  return has_isa(dnnl::cpu_isa::avx512_core);
}

}  // namespace oida::onednn
