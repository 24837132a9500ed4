#pragma once
// The sum over all units that runs while they compute: a pure interface.

#include <cstddef>
#include <span>

namespace oida {

/// Every unit makes the same calls in the same order with buffers of the same sizes. The order of
/// each sum is fixed by the placement, so equal runs give equal bits; every unit gets equal bits.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Starts the sum of `buffer` over all units, in place; never waits for the network. Several may
  /// be in flight. The buffer stays untouched by the caller until finish() or poll() says done.
  virtual void start(std::span<float> buffer) = 0;
  /// Makes progress; true when nothing is in flight.
  virtual bool poll() = 0;
  /// Waits until nothing is in flight.
  virtual void finish() = 0;
  /// Seconds on now_s() when the last operation that ended was seen to end.
  virtual double ended_s() const = 0;
};

}  // namespace oida
