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
  SumExchange(MPI_Comm channel, int ranks, const Stall& stall,
              std::function<void(MPI_Comm)> give_back);
  SumExchange(const SumExchange&) = delete;
  SumExchange& operator=(const SumExchange&) = delete;
  ~SumExchange() override;

  void start(std::span<float> buffer) override;
  bool poll() override;
  void finish() override;
  double ended_s() const override { return ended_s_; }

 private:
  std::unique_ptr<SumOperation> take(std::size_t size);
  bool advance();

  MPI_Comm channel_;
  int ranks_;
  const Stall& stall_;
  std::function<void(MPI_Comm)> give_back_;
  std::vector<std::unique_ptr<SumOperation>> in_flight_;
  std::vector<std::unique_ptr<SumOperation>> resting_;
  unsigned started_ = 0;
  double ended_s_ = 0.0;
};

}  // namespace oida
