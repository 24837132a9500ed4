#pragma once
// Sums between GPUs by NCCL, which is loaded when it is there: the engine also works without.

#include <memory>
#include <string>

#include <cuda_runtime_api.h>

namespace oida::cuda {

class Nccl {
 public:
  virtual ~Nccl() = default;

  /// "nccl 2.28"
  virtual std::string name() const = 0;
  virtual std::string invitation() const = 0;
  virtual void join(const std::string& invitation, int rank, int size) = 0;
  virtual void sum(float* values, std::size_t count, cudaStream_t stream) = 0;
};

/// Null where this program was built without it, or it is not found.
std::unique_ptr<Nccl> load_nccl();

}  // namespace oida::cuda
