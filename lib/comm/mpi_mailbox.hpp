#pragma once
// Mailbox by MPI. Nothing is posted to be received before its message is there, so that a mailbox
// may end whenever nothing is on its way.

#include <vector>

#include <mpi.h>

#include "comm/mailbox.hpp"
#include "comm/patience.hpp"
#include "core/aligned.hpp"

namespace oida {

class MpiMailbox final : public Mailbox {
 public:
  /// Has `comm` to itself and never frees it: that would be collective. `stall` outlives the
  /// mailbox. Error where MPI cannot count so many floats.
  MpiMailbox(MPI_Comm comm, const Stall& stall, int size, std::size_t floats);
  MpiMailbox(const MpiMailbox&) = delete;
  MpiMailbox& operator=(const MpiMailbox&) = delete;
  /// Waits until the last messages have left their places, unless an error ends the program.
  ~MpiMailbox() override;

  std::span<float> outgoing(int to) override;
  void post(int to) override;
  std::optional<int> take() override;
  std::span<const float> incoming(int from) const override;
  void wait(const std::function<bool()>& done) override;

 private:
  struct Line {
    AlignedVector<float> in, out;
    MPI_Request receiving = MPI_REQUEST_NULL;
    MPI_Request sending = MPI_REQUEST_NULL;
  };

  Line& line(int rank);
  void receive();

  MPI_Comm comm_;
  const Stall& stall_;
  std::vector<Line> lines_;  // by rank
  std::size_t next_ = 0;     // line that take() looks at first
};

}  // namespace oida
