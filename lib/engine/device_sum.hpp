#pragma once
// The sum over all units where the parameters are, without a way through the hosts: what a
// ResidentTraining (engine.hpp) may be able to do besides.

#include <memory>
#include <span>
#include <string>

#include "comm/exchange.hpp"

namespace oida {

/// Words that ride behind the parameters, at most.
inline constexpr std::size_t kRidingWords = 16;

/// Every unit makes the same calls in the same order. Errors: Error naming the call.
class DeviceSum {
 public:
  virtual ~DeviceSum() = default;

  /// "nccl 2.28"; empty where it has none of its own and was given none.
  virtual std::string way() const = 0;
  /// One unit's; by it all units find each other.
  virtual std::string invitation() = 0;
  virtual void join(const std::string& invitation, int rank, int size) = 0;
  /// From now on by these in place of its own way.
  virtual void join(std::unique_ptr<DeviceMessages> messages) = 0;
  /// In place, at most kRidingWords values, and waited for.
  virtual void sum(std::span<float> values) = 0;

  /// ResidentTraining::send(), and the sum of what travels, `words` behind it, over all units.
  virtual void send_sum(float weight, std::span<const float> words) = 0;
  /// True once it has come, and stands in `out`: parameters, then words.
  virtual bool summed(std::span<float> out) = 0;
  /// x <- x + (sum - s)
  virtual void merge_sum() = 0;
};

}  // namespace oida
