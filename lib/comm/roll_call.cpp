#include "comm/roll_call.hpp"

#include <algorithm>
#include <chrono>

namespace oida {
namespace {

constexpr int kTag = 2;

/// Hosts share no other clock.
double wall_time_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RollCall::RollCall(MPI_Comm channel, int rank, int ranks)
    : channel_(channel),
      rank_(rank),
      heard_s_(static_cast<std::size_t>(ranks)),
      announced_s_(static_cast<std::size_t>(ranks)),
      sending_(static_cast<std::size_t>(ranks), MPI_REQUEST_NULL) {}

void RollCall::announce() {
  listen();
  for (std::size_t r = 0; r < sending_.size(); ++r) {
    int sent = 0;
    const int code = MPI_Test(&sending_[r], &sent, MPI_STATUS_IGNORE);
    const bool on_its_way = code == MPI_SUCCESS && sent == 0;
    if (static_cast<int>(r) == rank_ || on_its_way) continue;
    announced_s_[r] = wall_time_s();
    if (MPI_Isend(&announced_s_[r], 1, MPI_DOUBLE, static_cast<int>(r), kTag, channel_,
                  &sending_[r]) != MPI_SUCCESS) {
      sending_[r] = MPI_REQUEST_NULL;
    }
  }
}

void RollCall::listen() {
  for (;;) {
    int there = 0;
    MPI_Status status;
    double sent_s = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, kTag, channel_, &there, &status) != MPI_SUCCESS) return;
    if (there == 0) return;
    if (MPI_Recv(&sent_s, 1, MPI_DOUBLE, status.MPI_SOURCE, kTag, channel_, &status) !=
        MPI_SUCCESS) {
      return;
    }
    double& heard_s = heard_s_[static_cast<std::size_t>(status.MPI_SOURCE)];
    heard_s = std::max(heard_s, sent_s);
  }
}

std::vector<int> RollCall::silent(double within_s) {
  listen();
  const double since_s = wall_time_s() - within_s;
  std::vector<int> ranks;
  for (std::size_t r = 0; r < heard_s_.size(); ++r) {
    if (static_cast<int>(r) != rank_ && heard_s_[r] < since_s) ranks.push_back(static_cast<int>(r));
  }
  return ranks;
}

}  // namespace oida
