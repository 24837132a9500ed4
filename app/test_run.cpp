#include "test_run.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "oida/evaluator.hpp"

namespace oida::app {

namespace {

/// Samples of so many blocks are loaded at once.
constexpr std::uint32_t kBlocksAtOnce = 16;

void test_some(const Deck& deck, Dataset& data, Engine& engine, std::span<const float> parameters,
               const Normaliser& normaliser, const std::vector<Sample>& samples,
               Confusion& confusion) {
  PatchStore store = load(data, deck, samples);
  store.normalise(normaliser);
  Evaluator evaluator(engine, store);
  LossSum sum;
  const auto count = [&](std::size_t i, int best) { confusion.add(samples[i].label, best); };
  for (std::size_t first = 0; first < samples.size();) {
    first += evaluator.add_batch(parameters, samples, first, sum, count);
  }
}

}  // namespace

TestResult run_test(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                    std::span<const float> parameters, const Normaliser& normaliser,
                    const std::function<void()>& still_alive) {
  const double began_s = now_s();
  TestResult result{Confusion(data.classes.size()), 0};
  collectively(comm, [&] {
    std::vector<Sample> some;
    std::uint32_t group = 0;
    for (const auto index : evaluation_share(data.split.test, comm.size(), comm.rank())) {
      const Sample& sample = data.split.test[index];
      if (!some.empty() && sample.block / kBlocksAtOnce != group) {
        test_some(deck, data, engine, parameters, normaliser, some, result.confusion);
        some.clear();
        still_alive();
      }
      group = sample.block / kBlocksAtOnce;
      some.push_back(sample);
    }
    if (!some.empty()) {
      test_some(deck, data, engine, parameters, normaliser, some, result.confusion);
    }
  });
  comm.sum(result.confusion.counts());
  result.samples_per_s =
      static_cast<double>(result.confusion.total()) / std::max(1e-9, now_s() - began_s);
  return result;
}

}  // namespace oida::app
