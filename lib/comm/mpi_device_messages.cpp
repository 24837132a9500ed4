#include "comm/mpi_device_messages.hpp"

#include <climits>
#include <string>

#include "comm/mpi_check.hpp"
#include "core/error.hpp"

namespace oida {

void MpiDeviceMessages::start(float* values, std::size_t count) {
  if (count > INT_MAX) {
    throw Error("MPI_Iallreduce", std::to_string(count) + " floats are more than MPI can count");
  }
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_FLOAT, MPI_SUM, comm_,
                           &request_),
            "MPI_Iallreduce");
}

bool MpiDeviceMessages::come() {
  int done = 0;
  check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Iallreduce");
  return done != 0;
}

}  // namespace oida
