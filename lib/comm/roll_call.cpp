#include "comm/roll_call.hpp"

#include <algorithm>
#include <chrono>

#include "comm/mpi_check.hpp"

namespace oida {
namespace {

constexpr int kTag = 2;
constexpr const char* kName = "roll call";

/// Hosts share no other clock.
double wall_time_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RollCall::RollCall(MPI_Comm channel, int rank, int ranks)
    : channel_(channel),
      rank_(rank),
      heard_s_(static_cast<std::size_t>(ranks)),
      sending_(static_cast<std::size_t>(ranks), MPI_REQUEST_NULL) {}

void RollCall::announce() {
  listen();
  int sent = 0;
  const auto count = static_cast<int>(sending_.size());
  check_mpi(MPI_Testall(count, sending_.data(), &sent, MPI_STATUSES_IGNORE), kName);
  if (sent == 0) return;  // the last announcement is still on its way
  announced_s_ = wall_time_s();
  for (int r = 0; r < count; ++r) {
    if (r == rank_) continue;
    check_mpi(MPI_Isend(&announced_s_, 1, MPI_DOUBLE, r, kTag, channel_,
                        &sending_[static_cast<std::size_t>(r)]),
              kName);
  }
}

void RollCall::listen() {
  for (;;) {
    int there = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kTag, channel_, &there, &status), kName);
    if (there == 0) return;
    double sent_s = 0;
    check_mpi(MPI_Recv(&sent_s, 1, MPI_DOUBLE, status.MPI_SOURCE, kTag, channel_, &status), kName);
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
