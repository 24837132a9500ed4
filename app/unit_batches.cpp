#include "unit_batches.hpp"

#include <algorithm>
#include <numeric>

#include "core/clock.hpp"
#include "data/shards.hpp"
#include "earlier_run.hpp"
#include "training_plan.hpp"

namespace oida::app {

namespace {

constexpr int kWarmUpSteps = 2;
constexpr int kSteps = 4;

/// Of plain steps on an empty batch.
double samples_per_s(Engine& engine) {
  Batch batch = make_batch(engine);
  std::ranges::fill(batch.labels, 0);
  AlignedVector<float> x(engine.flat_size()), gradient(engine.flat_size());
  engine.import_flat(initial_parameters(engine.network(), 1), x);
  Optimizer optimizer({}, engine.flat_size());
  const auto resident = engine.make_resident({}, {});
  if (resident != nullptr) resident->put(x, optimizer);
  double began_s = 0;
  for (int step = -kWarmUpSteps; step < kSteps; ++step) {
    if (step == 0) began_s = now_s();
    if (resident != nullptr) {
      resident->step(batch, 0.0F, 0, {}, {});
    } else {
      engine.step(batch, x, gradient, {});
    }
  }
  return kSteps * batch.n / (now_s() - began_s);
}

std::vector<double> measured_speeds(Comm& comm, const Deck& deck, const Dataset& data,
                                    const ComputePlace& place, int batch) {
  std::vector<double> speeds(static_cast<std::size_t>(comm.size()));
  const auto engine = collectively(comm, [&] {
    auto options = engine_options(device_options(deck), place, batch);
    options.class_weights = class_weights(deck, data);
    options.label_smoothing = static_cast<float>(deck.train.label_smoothing);
    return make_engine(make_network(deck, data), options);
  });
  comm.barrier();
  speeds[static_cast<std::size_t>(comm.rank())] =
      collectively(comm, [&] { return samples_per_s(*engine); });
  comm.sum(speeds);
  return speeds;
}

/// Of the run that this one goes on with, or nothing.
std::vector<std::int64_t> earlier_batches(Comm& comm, const Deck& deck, std::int64_t global_batch) {
  std::vector<std::int64_t> batches(static_cast<std::size_t>(comm.size()), 0);
  if (comm.rank() == 0) {
    const auto recorded = batches_in(deck.run.dir);
    const auto sum = std::accumulate(recorded.begin(), recorded.end(), std::int64_t{0});
    if (recorded.size() == batches.size() && sum == global_batch) batches = recorded;
  }
  comm.broadcast_values(batches, 0);
  return batches.front() > 0 ? batches : std::vector<std::int64_t>{};
}

}  // namespace

std::vector<std::int64_t> unit_batches(Comm& comm, const Deck& deck, const Dataset& data,
                                       const ComputePlace& place) {
  const std::int64_t units = comm.size();
  const std::int64_t global_batch =
      deck.train.global_batch > 0 ? deck.train.global_batch : deck.train.batch * units;
  if (global_batch < units) {
    throw AgreedError("train.global_batch: " + std::to_string(global_batch) + " for " +
                          std::to_string(units) + " units",
                      Exit::refused);
  }
  const std::vector<double> alike(static_cast<std::size_t>(units), 1.0);
  if (deck.data.shard_weights == "equal") return shared_out(global_batch, alike);
  auto batches = earlier_batches(comm, deck, global_batch);
  if (!batches.empty()) return batches;
  const auto batch = static_cast<int>((global_batch + units - 1) / units);
  return shared_out(global_batch, measured_speeds(comm, deck, data, place, batch));
}

}  // namespace oida::app
