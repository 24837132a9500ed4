#pragma once
// Exchange by shared memory inside a node and by MPI between nodes.

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "comm/channel.hpp"
#include "comm/exchange.hpp"
#include "comm/patience.hpp"
#include "comm/sum_operation.hpp"
#include "core/aligned.hpp"

namespace oida {

class SumExchange final : public Exchange {
 public:
  using GiveBack = std::function<void(std::unique_ptr<Channel>)>;

  /// Has `channel` to itself and gives it back at its end, unless sums were left in flight; then it
  /// is lost. `channel` has area_floats() at least. `stall` outlives the exchange.
  SumExchange(std::unique_ptr<Channel> channel, const Nodes& nodes, const Stall& stall,
              const ExchangeOptions& options, GiveBack give_back);
  SumExchange(const SumExchange&) = delete;
  SumExchange& operator=(const SumExchange&) = delete;
  ~SumExchange() override;

  /// Of each area of the node's memory.
  static std::size_t area_floats(const ExchangeOptions& options);

  void start(std::span<float> buffer, std::size_t exact, std::size_t position) override;
  std::span<float> window(std::size_t k) override;
  std::span<const float> window_sum(std::size_t k) const override;
  void start_window(std::size_t k, std::size_t size, std::size_t exact) override;
  bool poll() override;
  void finish() override;
  void wait_for(const std::function<bool()>& come) override;
  double ended_s() const override { return ended_s_; }
  std::int64_t bytes_per_exchange(std::size_t size, std::size_t exact) const override;
  std::span<float> remainder() override { return remainder_; }

 private:
  /// An operation that has no place yet.
  struct Waiting {
    Shape shape;
    float* buffer;       // null for a window
    std::size_t offset;  // of a window
  };
  struct Running {
    std::unique_ptr<SumOperation> operation;
    float* buffer;             // to copy the sum to; null where it stays where it is
    std::size_t offset;        // in the areas
    std::uint64_t ring_begin;  // in all that ever went through the ring; for those that do
    bool in_ring;
  };

  void enter();
  bool may_enter(const Waiting& waiting, std::uint64_t begin) const;
  void enter(const Waiting& waiting, std::uint64_t begin);
  std::uint64_t ring_place(std::size_t size) const;
  std::unique_ptr<SumOperation> take(const Shape& shape);
  bool advance(bool help);
  bool collect();
  std::size_t window_offset(std::size_t k) const;
  bool goes_through_ring(const Waiting& waiting) const;

  std::unique_ptr<Channel> channel_;
  ExchangeOptions options_;
  const Stall& stall_;
  GiveBack give_back_;
  std::size_t ring_;  // floats; windows lie behind
  AlignedVector<float> remainder_;
  Route route_;
  std::vector<Waiting> waiting_;  // in the order of their starts
  std::vector<Running> running_;  // likewise
  std::vector<std::unique_ptr<SumOperation>> resting_;
  std::uint64_t ring_end_ = 0;
  double ended_s_ = 0.0;
};

}  // namespace oida
