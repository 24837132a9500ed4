#pragma once
// Sums over all ranks of memory that the host need not reach, by an MPI that takes pointers to it.
// A pure interface.

#include <cstddef>

namespace oida {

/// One sum at a time; every rank makes the same calls in the same order. Errors as in Comm.
class DeviceMessages {
 public:
  virtual ~DeviceMessages() = default;

  /// Starts the sum of `count` floats in place; nobody else touches them until it has come. What
  /// was computed there has ended.
  virtual void start(float* values, std::size_t count) = 0;
  /// Makes progress; true when the sum has come.
  virtual bool come() = 0;
};

}  // namespace oida
