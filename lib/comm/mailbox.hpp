#pragma once
// Messages of one size between rank 0 and each of the others, for what must not wait for all. A
// pure interface.

#include <functional>
#include <optional>
#include <span>

namespace oida {

/// Rank 0 has a line to each other rank, which have one to rank 0 alone. On a line at most one
/// message is on its way in each direction: who posts knows that the last one has come, because it
/// was answered. Messages make progress in take() and in waits. No member is collective.
class Mailbox {
 public:
  virtual ~Mailbox() = default;

  /// Where to write what the next post(to) sends.
  virtual std::span<float> outgoing(int to) = 0;
  virtual void post(int to) = 0;

  /// The rank of a message that has come, in the order of arrival, each once; never waits.
  virtual std::optional<int> take() = 0;
  /// The message of the rank that take() named, until this rank posts to it.
  virtual std::span<const float> incoming(int from) const = 0;

  /// Waits as every operation of the Comm does until `done` says so.
  virtual void wait(const std::function<bool()>& done) = 0;
};

}  // namespace oida
