#pragma once
// What a card has given away, and how much it may.

#include <cstddef>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace oida::cuda {

class Ledger {
 public:
  /// `limit_bytes` 0: none.
  explicit Ledger(std::size_t limit_bytes = 0) : limit_bytes_(limit_bytes) {}

  /// InputError naming device.memory_limit_mb when it would be passed, or naming train.batch when
  /// `count` elements are more than Index counts.
  void add(const std::string& what, std::size_t count, std::size_t bytes_each);

  std::size_t bytes() const;
  const std::vector<MemoryItem>& items() const { return items_; }

 private:
  std::size_t limit_bytes_;
  std::vector<MemoryItem> items_;
};

}  // namespace oida::cuda
