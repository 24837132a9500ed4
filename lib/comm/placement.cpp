#include "comm/placement.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.hpp"

namespace oida {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    throw Error("host name", std::strerror(errno));
  }
  const std::string text = name.data();
  return text.substr(0, text.find('.'));
}

std::vector<int> allowed_cores() {
  for (int limit = CPU_SETSIZE;; limit *= 2) {
    const auto deleter = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(deleter)> set(CPU_ALLOC(limit), deleter);
    const std::size_t bytes = CPU_ALLOC_SIZE(limit);
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL && limit < (1 << 20)) continue;  // the kernel knows more cores
      throw Error("cores", std::string("sched_getaffinity: ") + std::strerror(errno));
    }
    std::vector<int> cores;
    for (int core = 0; core < limit; ++core) {
      if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, set.get())) cores.push_back(core);
    }
    return cores;
  }
}

std::size_t free_shared_memory_bytes() {
  struct statvfs there {};
  if (statvfs("/dev/shm", &there) != 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(there.f_bavail) * there.f_frsize;
}

void number_nodes(std::vector<Placement>& table, const std::vector<int>& leaders) {
  std::map<int, int> node_of;   // leader -> node
  std::map<int, int> ranks_on;  // node -> ranks
  for (std::size_t r = 0; r < table.size(); ++r) {
    const int next = static_cast<int>(node_of.size());
    table[r].rank = static_cast<int>(r);
    table[r].node = node_of.try_emplace(leaders[r], next).first->second;
    table[r].node_rank = ranks_on[table[r].node]++;
  }
  for (Placement& place : table) place.node_ranks = ranks_on[place.node];
}

}  // namespace oida
