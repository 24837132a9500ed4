#include "engine/cuda/card.hpp"

#include "core/error.hpp"

namespace oida::cuda {

Arithmetic arithmetic(const std::string& precision) {
  if (precision == "fp32") return Arithmetic::fp32;
  if (precision == "tf32") return Arithmetic::tf32;
  if (precision == "bf16") return Arithmetic::bf16;
  throw InputError("train.precision", "'" + precision + "', allowed: fp32, tf32, bf16");
}

}  // namespace oida::cuda
