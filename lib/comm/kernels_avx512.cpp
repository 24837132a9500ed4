#include "comm/kernels_body.hpp"

namespace oida {

const Kernels kAvx512Kernels{"avx512", add_up, encode, decode};

}  // namespace oida
