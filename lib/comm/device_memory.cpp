#include "comm/mpi_device_messages.hpp"

namespace oida {

bool mpi_takes_device_memory() {
  return MPIX_Query_cuda_support() == 1;
}

}  // namespace oida
