#include "test_run.hpp"

#include <algorithm>
#include <memory>

#include "core/clock.hpp"
#include "oida/area_predictor.hpp"
#include "oida/evaluator.hpp"
#include "scene_pixels.hpp"

namespace oida::app {

namespace {

/// Samples of so many blocks are loaded at once.
constexpr std::uint32_t kBlocksAtOnce = 16;

/// Counts what a model says of test samples, some blocks at a time.
class Tester {
 public:
  Tester(const Deck& deck, Dataset& data)
      : confusion(data.classes.size()),
        tested(data.split.blocks.size()),
        correct(data.split.blocks.size()),
        deck_(deck),
        data_(data) {}
  virtual ~Tester() = default;
  virtual void test(const std::vector<Sample>& samples) = 0;

  Confusion confusion;
  std::vector<std::int64_t> tested, correct;  // by block of the split

 protected:
  void count(const Sample& sample, std::span<const float> probabilities) {
    const int best = best_class(probabilities);
    confusion.add(sample.label, best);
    ++tested[sample.block];
    correct[sample.block] += best == sample.label ? 1 : 0;
  }

  const Deck& deck_;
  Dataset& data_;
};

class PatchTester : public Tester {
 public:
  PatchTester(const Deck& deck, Dataset& data, Engine& engine, std::span<const float> parameters,
              const Normaliser& normaliser)
      : Tester(deck, data), engine_(engine), parameters_(parameters), normaliser_(normaliser) {}

  void test(const std::vector<Sample>& samples) override {
    PatchStore store = load(data_, deck_, samples);
    store.normalise(normaliser_);
    Evaluator evaluator(engine_, store);
    LossSum sum;
    const auto see = [&](std::size_t i, std::span<const float> p) { count(samples[i], p); };
    for (std::size_t first = 0; first < samples.size();) {
      first += evaluator.add_batch(parameters_, samples, first, sum, see);
    }
  }

 private:
  Engine& engine_;
  std::span<const float> parameters_;
  const Normaliser& normaliser_;
};

/// What a block shows is an area of its own: no pixel of another part is seen.
class DenseTester : public Tester {
 public:
  DenseTester(const Deck& deck, Dataset& data, const EngineOptions& options, const Model& model)
      : Tester(deck, data),
        normaliser_(model.normaliser),
        recipe_(model.recipe),
        predictor_(model.network, options, model.parameters, largest_block(deck, data)) {}

  void test(const std::vector<Sample>& samples) override {
    for (std::size_t first = 0; first < samples.size();) {
      const auto end =
          std::find_if(samples.begin() + static_cast<std::ptrdiff_t>(first), samples.end(),
                       [&](const Sample& sample) { return sample.block != samples[first].block; });
      const auto size = static_cast<std::size_t>(end - samples.begin()) - first;
      test_block(std::span(samples).subspan(first, size));
      first += size;
    }
  }

 private:
  static Extent largest_block(const Deck& deck, const Dataset& data) {
    Extent largest{1, 1};
    for (std::uint32_t block = 0; block < data.split.blocks.size(); ++block) {
      const Window window = block_window(data, deck, block);
      largest.rows = std::max(largest.rows, window.rows);
      largest.cols = std::max(largest.cols, window.cols);
    }
    return largest;
  }

  void test_block(std::span<const Sample> samples) {
    const std::uint32_t block = samples.front().block;
    const Window window = block_window(data_, deck_, block);
    const Extent area{window.rows, window.cols};
    SceneSource& scene = *data_.scenes[static_cast<std::size_t>(data_.split.blocks[block].scene)];
    for (const Window& tile : predictor_.tiles(area)) {
      const Window at = predictor_.needed(tile, area);
      FeatureWindow features = read_features(
          scene, {window.row + at.row, window.col + at.col, at.rows, at.cols}, recipe_);
      normaliser_.apply(features);
      const auto probabilities = predictor_.predict(tile, area, features);
      test_tile(samples, window, tile, probabilities);
    }
  }

  void test_tile(std::span<const Sample> samples, const Window& block, const Window& tile,
                 std::span<const float> probabilities) {
    const auto classes = static_cast<std::size_t>(predictor_.classes());
    for (const Sample& sample : samples) {
      const int row = sample.row - block.row - tile.row, col = sample.col - block.col - tile.col;
      if (row < 0 || col < 0 || row >= tile.rows || col >= tile.cols) continue;
      const std::size_t pixel =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(tile.cols) +
          static_cast<std::size_t>(col);
      count(sample, probabilities.subspan(pixel * classes, classes));
    }
  }

  const Normaliser& normaliser_;
  const FeatureRecipe& recipe_;
  AreaPredictor predictor_;
};

void test_share(const Comm& comm, const Dataset& data, Tester& tester,
                const std::function<void()>& still_alive) {
  std::vector<Sample> some;
  std::uint32_t group = 0;
  for (const auto index : evaluation_share(data.split.test, comm.size(), comm.rank())) {
    const Sample& sample = data.split.test[index];
    if (!some.empty() && sample.block / kBlocksAtOnce != group) {
      tester.test(some);
      some.clear();
      still_alive();
    }
    group = sample.block / kBlocksAtOnce;
    some.push_back(sample);
  }
  if (!some.empty()) tester.test(some);
}

std::vector<BlockScore> block_scores(const Split& split, const Tester& tester) {
  std::vector<BlockScore> scores;
  for (std::size_t i = 0; i < split.blocks.size(); ++i) {
    const Block& block = split.blocks[i];
    if (tester.tested[i] == 0) continue;
    const Window& at = block.window;
    scores.push_back(
        {block.scene, at.row, at.col, at.rows, at.cols, tester.tested[i], tester.correct[i]});
  }
  return scores;
}

}  // namespace

TestResult run_test(Comm& comm, const Deck& deck, Dataset& data, Engine& engine,
                    std::span<const float> parameters, const Model& model,
                    const std::function<void()>& still_alive) {
  const double began_s = now_s();
  const auto tester = collectively(comm, [&]() -> std::unique_ptr<Tester> {
    std::unique_ptr<Tester> made;
    if (data.dense()) {
      made = std::make_unique<DenseTester>(deck, data, engine.options(), model);
    } else {
      made = std::make_unique<PatchTester>(deck, data, engine, parameters, model.normaliser);
    }
    test_share(comm, data, *made, still_alive);
    return made;
  });
  comm.sum(tester->confusion.counts());
  comm.sum(tester->tested);
  comm.sum(tester->correct);
  const double samples = static_cast<double>(tester->confusion.total());
  return {tester->confusion, block_scores(data.split, *tester),
          samples / std::max(1e-9, now_s() - began_s)};
}

}  // namespace oida::app
