#pragma once
// Exchange by MPI: sums in flight on a communicator of their own.

#include <functional>
#include <memory>
#include <vector>

#include <mpi.h>

#include "comm/exchange.hpp"
#include "comm/patience.hpp"
#include "comm/sum_operation.hpp"

namespace oida {

class SumExchange final : public Exchange {
 public:
  /// Has `channel` to itself and calls give_back(channel) at its end, unless sums were left in
  /// flight. `stall` outlives it.
  SumExchange(MPI_Comm channel, int ranks, const Stall& stall, const ExchangeOptions& options,
              std::function<void(MPI_Comm)> give_back);
  SumExchange(const SumExchange&) = delete;
  SumExchange& operator=(const SumExchange&) = delete;
  ~SumExchange() override;

  void start(std::span<float> buffer, std::size_t exact, std::size_t position) override;
  std::span<float> window(std::size_t k) override { return windows_.at(k).contribution; }
  std::span<const float> window_sum(std::size_t k) const override { return windows_.at(k).sum; }
  void start_window(std::size_t k, std::size_t size, std::size_t exact) override;
  bool poll() override;
  void finish() override;
  double ended_s() const override { return ended_s_; }
  std::int64_t bytes_per_exchange(std::size_t size, std::size_t exact) const override;
  std::span<float> remainder() override { return {}; }

 private:
  std::unique_ptr<SumOperation> take(std::size_t size);
  bool advance();

  struct Window {
    AlignedVector<float> contribution;
    AlignedVector<float> sum;
  };

  MPI_Comm channel_;
  int ranks_;
  const Stall& stall_;
  std::function<void(MPI_Comm)> give_back_;
  std::vector<Window> windows_;
  std::vector<std::unique_ptr<SumOperation>> in_flight_;
  std::vector<std::unique_ptr<SumOperation>> resting_;
  unsigned started_ = 0;
  double ended_s_ = 0.0;
};

}  // namespace oida
