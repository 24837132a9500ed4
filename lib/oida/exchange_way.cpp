#include "oida/exchange_way.hpp"

#include <algorithm>
#include <array>

namespace oida {
namespace {

/// Each unit gives different numbers, whose sums are known.
void test(DeviceSum& sum, int rank, int size) {
  std::array<float, kRidingWords> values{};
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<float>(static_cast<std::size_t>(rank + 1) * (k + 1));
  }
  sum.sum(values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto right = static_cast<float>(size * (size + 1) / 2) * static_cast<float>(k + 1);
    if (values[k] == right) continue;
    throw Error(sum.way(),
                "a sum of " + std::to_string(values[k]) + " where it is " + std::to_string(right));
  }
}

}  // namespace

bool sums_on_devices(Comm& comm, DeviceSum* own,
                     const std::function<void(const std::string&)>& say) {
  const auto ways = comm.all_gather(own != nullptr ? own->way() : "");
  const bool alike = std::ranges::count(ways, ways.front()) == std::ssize(ways);
  if (ways.front().empty() || !alike) return false;
  try {
    std::string invitation;
    collectively(comm, [&] {
      if (comm.rank() == 0) invitation = own->invitation();
    });
    invitation = comm.broadcast(invitation, 0);
    collectively(comm, [&] { own->join(invitation, comm.rank(), comm.size()); });
    collectively(comm, [&] { test(*own, comm.rank(), comm.size()); });
    return true;
  } catch (const AgreedError& error) {
    if (say) say(std::string(error.what()) + "; units exchange through host memory");
    return false;
  }
}

}  // namespace oida
