#include "comm/kernels_body.hpp"

namespace oida {

const Kernels kPlainKernels{"plain", add_up, encode, decode};

}  // namespace oida
