#include "comm/mpi_mailbox.hpp"

#include <exception>
#include <limits>
#include <string>

#include "comm/mpi_check.hpp"

namespace oida {
namespace {

constexpr const char* kName = "a message between ranks";
constexpr int kTag = 1;

}  // namespace

MpiMailbox::MpiMailbox(MPI_Comm comm, const Stall& stall, int size, std::size_t floats)
    : comm_(comm), stall_(stall), lines_(stall.rank == 0 ? static_cast<std::size_t>(size) : 1) {
  if (floats > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error("mailbox", "a message of " + std::to_string(floats) + " floats; allowed: 2^31 - 1");
  }
  for (std::size_t r = stall.rank == 0 ? 1 : 0; r < lines_.size(); ++r) {
    lines_[r].in.resize(floats);
    lines_[r].out.resize(floats);
  }
}

MpiMailbox::~MpiMailbox() {
  if (std::uncaught_exceptions() > 0) return;
  for (Line& line : lines_) wait_all({&line.sending, 1}, stall_, kName);
}

MpiMailbox::Line& MpiMailbox::line(int rank) {
  const auto r = static_cast<std::size_t>(rank);
  if (rank == stall_.rank || r >= lines_.size()) {
    throw Error("mailbox", "rank " + std::to_string(stall_.rank) + " has no line to rank " +
                               std::to_string(rank));
  }
  return lines_[r];
}

std::span<float> MpiMailbox::outgoing(int to) {
  Line& to_it = line(to);
  wait_all({&to_it.sending, 1}, stall_, kName);
  return to_it.out;
}

void MpiMailbox::post(int to) {
  Line& to_it = line(to);
  check_mpi(MPI_Isend(to_it.out.data(), static_cast<int>(to_it.out.size()), MPI_FLOAT, to, kTag,
                      comm_, &to_it.sending),
            kName);
}

/// Every message that has begun to come gets its place.
void MpiMailbox::receive() {
  for (;;) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, kTag, comm_, &found, &message, &status), kName);
    if (found == 0) return;
    Line& from = line(status.MPI_SOURCE);
    check_mpi(MPI_Imrecv(from.in.data(), static_cast<int>(from.in.size()), MPI_FLOAT, &message,
                         &from.receiving),
              kName);
  }
}

std::optional<int> MpiMailbox::take() {
  receive();
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const std::size_t r = (next_ + k) % lines_.size();
    Line& from = lines_[r];
    if (from.receiving == MPI_REQUEST_NULL) continue;
    int done = 0;
    check_mpi(MPI_Test(&from.receiving, &done, MPI_STATUS_IGNORE), kName);
    if (done == 0) continue;
    next_ = r + 1;
    return static_cast<int>(r);
  }
  return std::nullopt;
}

std::span<const float> MpiMailbox::incoming(int from) const {
  return lines_.at(static_cast<std::size_t>(from)).in;
}

void MpiMailbox::wait(const std::function<bool()>& done) {
  Patience patience(stall_, kName);
  while (!done()) patience.idle();
}

}  // namespace oida
