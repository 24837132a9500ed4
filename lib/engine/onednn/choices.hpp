#pragma once
// Which kernel runs which direction of which layer.

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/onednn/directions.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// EngineOptions::kernels as an answer: a fixed table, a measurement here and now, or the lines of
/// an earlier engine. The layout of a weight does not hang on the choice.
class Choices {
 public:
  /// InputError where the lines to replay are not of this program.
  explicit Choices(const EngineOptions& options);

  /// The directions of a layer that reads `input`. InputError where the lines to replay lack it.
  /// The weight stands in `layout` where it is given.
  Directions directions(Library& library, const TrainedLayer& layer, const Tensor& input,
                        const std::optional<dnnl::memory::desc>& layout = {}) const;
  /// Whether a layer that reads `input` can do so from two tensors, each of whole vectors.
  bool reads_joined(const TrainedLayer& layer, const Tensor& input) const;

 private:
  enum class Mode { table, measure, replay };
  struct Own {
    bool forward, backward_weights, backward_data;
    bool all() const { return forward && backward_weights && backward_data; }
  };

  static Own table(const TrainedLayer& layer);
  Own replay(const TrainedLayer& layer) const;
  bool replayed(const std::string& layer, const std::string& direction) const;

  Mode mode_;
  std::vector<std::string> lines_;
};

}  // namespace oida::onednn
