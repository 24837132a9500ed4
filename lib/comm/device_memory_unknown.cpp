#include "comm/mpi_device_messages.hpp"

namespace oida {

/// This MPI has no MPIX_Query_cuda_support.
bool mpi_takes_device_memory() {
  return false;
}

}  // namespace oida
