#include "comm/kernels_body.hpp"

namespace oida {

const Kernels kAvx2Kernels{"avx2", add_up, encode, decode};

}  // namespace oida
