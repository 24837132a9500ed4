#pragma once
// The sum over all units that runs while they compute: pure interfaces.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace oida {

/// What a float becomes between nodes. Inside a node nothing is rounded.
enum class Wire { fp32, bf16, int8, int4 };
/// InputError where no wire has this name.
Wire wire_of(const std::string& name);
std::string to_string(Wire wire);

struct ExchangeOptions {
  Wire wire = Wire::fp32;
  /// Floats of the array that travels, control words included: the size of a window, and what the
  /// operations in flight may hold together before the next ones have to wait for them (those
  /// travel later, in turn; larger ones in parts). Shared memory of a node: its ranks + 1 times
  /// (windows + 1) x floats, touched only where used; where a host has less than that left, all
  /// goes by messages, as with ranks_per_node = 1.
  std::size_t floats = std::size_t{1} << 20;
  /// Windows to write contributions into; 0 where all come by start(buffer).
  std::size_t windows = 0;
  /// At most so many ranks of a host make a node, its ranks in order; 0 = all that share memory.
  /// 1 = all by messages.
  int ranks_per_node = 0;
};

/// Every unit makes the same calls in the same order with buffers of the same sizes. The order of
/// each sum is fixed by the placement, so equal runs give equal bits; every unit gets equal bits:
/// units of a node in the order of their ranks, then nodes in order.
///
/// Inside a node no message travels: each unit adds up its part of all contributions where they
/// stand, and one that waits in finish() does the parts of those that have not come to it. Between
/// nodes MPI makes no progress by itself, and a poll between layers makes enough: with one a kernel
/// of a training step, start, polls and finish together cost 0.5 ms a step of the reference model
/// through a window, about what its sum takes, and 1.4 ms by messages (perf/README.md). A progress
/// thread would take a core that computes and MPI_THREAD_MULTIPLE's locks, so there is none.
///
/// A lossy wire rounds the sum of a node where it leaves the node, and the sum of all nodes once
/// more, in blocks of 256 with one scale each. What rounding left out is kept (remainder()) and
/// joins the next sum at the same position. It wants small values: differences to what all units
/// know.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Starts the sum of `buffer` over all units, in place; never waits for another unit. Several may
  /// be in flight. The buffer stays untouched by the caller until finish() or poll() says done. The
  /// last `exact` floats travel as fp32 whatever the wire. `position` is where the buffer begins in
  /// the array that travels: remainders belong to positions. Error where a lossy wire is given
  /// floats to round beyond ExchangeOptions::floats. Costs a copy into the memory of the node and,
  /// at the end, a copy back, where the node has several units.
  virtual void start(std::span<float> buffer, std::size_t exact = 0, std::size_t position = 0) = 0;

  /// The way without copies. window(k): ExchangeOptions::floats to write this unit's contribution
  /// into, k < ExchangeOptions::windows, any time before start_window(k) and again when it is done.
  /// window_sum(k): where the sum stands when it is done; it stays there until this unit's next
  /// start_window(k), so one window serves a loop that reads sum and parameters and writes the next
  /// contribution in one pass. The two never overlap. All units of a node read the same memory.
  /// With L units a node a float is written once and read once in the sum, its sum is written by
  /// one of L units; start(buffer) reads and writes it twice more. While a window is in flight
  /// nothing may be written or read in it.
  virtual std::span<float> window(std::size_t k) = 0;
  virtual std::span<const float> window_sum(std::size_t k) const = 0;
  /// Starts the sum of the first `size` floats of window k; `exact` as above, position 0.
  virtual void start_window(std::size_t k, std::size_t size, std::size_t exact = 0) = 0;

  /// Makes progress; true when nothing is in flight.
  virtual bool poll() = 0;
  /// Waits until nothing is in flight.
  virtual void finish() = 0;
  /// Waits for what other units bring by another way, in the same patience.
  virtual void wait_for(const std::function<bool()>& come) = 0;
  /// Seconds on now_s() when the last operation that ended was seen to end.
  virtual double ended_s() const = 0;

  /// Bytes that this unit's node sends to other nodes for one sum of `size` floats, scales
  /// included; 0 where there is one node.
  virtual std::int64_t bytes_per_exchange(std::size_t size, std::size_t exact = 0) const = 0;
  /// What rounding left out so far, this unit's share: state that the caller saves, restores and
  /// zeroes while nothing is in flight. Its size is fixed from the start and may differ from unit
  /// to unit; empty for fp32 and where there is one node.
  virtual std::span<float> remainder() = 0;
};

/// Sums of memory that the host need not reach, by an MPI that takes pointers to it. One sum at a
/// time; every rank makes the same calls in the same order. Errors as in Comm.
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
