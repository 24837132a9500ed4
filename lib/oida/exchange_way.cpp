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

/// A collective attempt; where it fails `say` gets the reason and what is done instead.
bool tried(const std::function<void()>& attempt, const std::function<void(const std::string&)>& say,
           const std::string& instead) {
  try {
    attempt();
    return true;
  } catch (const AgreedError& error) {
    if (say) say(std::string(error.what()) + "; " + instead);
    return false;
  }
}

void join_by_invitation(Comm& comm, DeviceSum& own) {
  std::string invitation;
  collectively(comm, [&] {
    if (comm.rank() == 0) invitation = own.invitation();
  });
  invitation = comm.broadcast(invitation, 0);
  collectively(comm, [&] { own.join(invitation, comm.rank(), comm.size()); });
  collectively(comm, [&] { test(own, comm.rank(), comm.size()); });
}

/// All units keep their parameters on devices.
bool all_have(Comm& comm, const DeviceSum* own) {
  std::vector<std::int64_t> have{own != nullptr ? 1 : 0};
  comm.sum(have);
  return have.front() == comm.size();
}

}  // namespace

bool sums_on_devices(Comm& comm, DeviceSum* own,
                     const std::function<void(const std::string&)>& say) {
  if (comm.size() == 1 || !all_have(comm, own)) return false;
  const auto ways = comm.all_gather(own->way());
  const bool alike = std::ranges::count(ways, ways.front()) == std::ssize(ways);
  if (alike && !ways.front().empty() &&
      tried([&] { join_by_invitation(comm, *own); }, say, "units exchange another way")) {
    return true;
  }
  auto messages = comm.make_device_messages();
  if (messages == nullptr) return false;
  own->join(std::move(messages));
  return tried([&] { collectively(comm, [&] { test(*own, comm.rank(), comm.size()); }); }, say,
               "units exchange through host memory");
}

}  // namespace oida
