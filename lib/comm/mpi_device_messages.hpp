#pragma once
// DeviceMessages by MPI.

#include <mpi.h>

#include "comm/exchange.hpp"

namespace oida {

/// What MPI says of itself (MPIX_Query_cuda_support): it may still be wrong, so a sum is tried.
bool mpi_takes_device_memory();

class MpiDeviceMessages final : public DeviceMessages {
 public:
  /// Has `comm` to itself and never frees it: that would be collective.
  explicit MpiDeviceMessages(MPI_Comm comm) : comm_(comm) {}

  void start(float* values, std::size_t count) override;
  bool come() override;

 private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace oida
