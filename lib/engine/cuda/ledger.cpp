#include "engine/cuda/ledger.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "engine/cuda/host_device.hpp"

namespace oida::cuda {

void Ledger::add(const std::string& what, std::size_t count, std::size_t bytes_each) {
  if (count > std::numeric_limits<Index>::max() / 2) {
    throw InputError("train.batch", what + " of " + std::to_string(count) +
                                        " elements, allowed on a GPU: below 2^31");
  }
  const std::size_t added = count * bytes_each;
  if (limit_bytes_ > 0 && bytes() + added > limit_bytes_) {
    throw InputError("device.memory_limit_mb",
                     std::to_string(limit_bytes_ / 1'000'000) + ", but " + what + " lead to " +
                         std::to_string((bytes() + added) / 1'000'000 + 1) + " MB on the GPU");
  }
  const auto found = std::ranges::find(items_, what, &MemoryItem::what);
  if (found == items_.end()) {
    items_.push_back({what, added, true});
  } else {
    found->bytes += added;
  }
}

std::size_t Ledger::bytes() const {
  std::size_t bytes = 0;
  for (const auto& item : items_) bytes += item.bytes;
  return bytes;
}

}  // namespace oida::cuda
