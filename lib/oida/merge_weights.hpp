#pragma once
// Whose parameters count how much in a mean: by samples, or by a score on one validation set that
// is common to all units.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "comm/exchange.hpp"
#include "core/aligned.hpp"
#include "oida/evaluator.hpp"

namespace oida {

/// mean: by samples. weighted: by softmax(-loss) of what each unit sent in the round before; best:
/// the unit with the lowest such loss alone. The first exchange is the mean.
enum class MergeKind { mean, weighted, best };
MergeKind merge_kind(const std::string& name);

/// The loss of given parameters on the validation samples common to all units.
class Scorer {
 public:
  /// Engine, store and labels (of tiles) are kept by reference. Error without samples.
  Scorer(Engine& engine, const PatchStore& store, std::vector<Sample> common,
         const TileLabels* labels = nullptr);

  /// Mean cross-entropy; `between` is called between batches.
  double loss(std::span<const float> parameters, const std::function<void()>& between);

 private:
  Evaluator evaluator_;
  std::vector<Sample> samples_;
};

/// Weights of all units from their losses; a loss that is not finite gets 0, and where none is
/// finite the result is empty.
std::vector<double> weights_of(MergeKind kind, std::span<const float> losses);

/// The weight of one unit from exchange to exchange.
class MergeWeights {
 public:
  MergeWeights(MergeKind kind, int unit, int units, float share);

  bool scores() const { return kind_ != MergeKind::mean; }
  float weight() const { return weight_; }
  /// Starts the exchange of this unit's loss; take() once it has ended.
  void share(double loss, Exchange& exchange);
  void take();
  /// As before the first exchange.
  void restart() { weight_ = share_; }
  /// What a checkpoint keeps.
  std::span<float> value() { return {&weight_, 1}; }

 private:
  MergeKind kind_;
  std::size_t unit_;
  float share_;
  float weight_;
  AlignedVector<float> losses_;  // by unit
};

}  // namespace oida
