#include "engine/onednn/choices.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "engine/onednn/library_directions.hpp"
#include "engine/onednn/measure.hpp"
#include "engine/onednn/spread_directions.hpp"
#include "engine/onednn/winograd_directions.hpp"

namespace oida::onednn {

Choices::Choices(const EngineOptions& options) : mode_(Mode::replay), lines_(options.kernels) {
  if (lines_.empty() || lines_.front() == "table") mode_ = Mode::table;
  if (!lines_.empty() && lines_.front() == "measure") mode_ = Mode::measure;
}

/// Measured for images of 2 to 32 px and 16 to 128 channels, batch 64, one thread: the Winograd
/// kernels win in all directions where at least half of what their 4x4 tiles compute lies on the
/// image (3, 4 and all from 6 px on), else the library does (2 and 5 px).
Choices::Own Choices::table(const TrainedLayer& layer) {
  if (layer.layer.kind == LayerKind::conv_transpose) return {true, true, true};
  const auto tiles = [](int side) { return (side + 3) / 4; };
  const Shape& out = layer.output;
  const bool own = 2 * out.h * out.w >= 16 * tiles(out.h) * tiles(out.w);
  return {own, own, own};
}

Choices::Own Choices::replay(const TrainedLayer& layer) const {
  return {replayed(layer.name, "forward"), replayed(layer.name, "backward weights"),
          layer.first || replayed(layer.name, "backward data")};
}

bool Choices::replayed(const std::string& layer, const std::string& direction) const {
  const std::string start = layer + " " + direction + ": ";
  const auto line = std::ranges::find_if(
      lines_, [&](const std::string& text) { return text.starts_with(start); });
  if (line == lines_.end()) {
    throw InputError("kernels", "no line for " + layer + " " + direction + " to replay");
  }
  return line->starts_with(start + "own");
}

bool Choices::reads_joined(const TrainedLayer& layer, const Tensor& input) const {
  if (!winograd_fits(layer, input)) return false;
  return mode_ == Mode::replay ? replay(layer).all() : table(layer).all();
}

Directions Choices::directions(Library& library, const TrainedLayer& layer, const Tensor& input,
                               const std::optional<dnnl::memory::desc>& layout) const {
  if (input.joined()) return winograd_directions(library, layer, input);
  const bool spreads = spread_fits(layer, input);
  if (!spreads && !winograd_fits(layer, input)) {
    return library_directions(library, layer, input, layout);
  }
  Directions chosen = spreads ? spread_directions(library, layer, input)
                              : winograd_directions(library, layer, input);
  const Own own = mode_ == Mode::replay ? replay(layer) : table(layer);
  if (mode_ != Mode::measure && own.all()) return chosen;
  Directions other = library_directions(library, layer, input, chosen.weight_layout);
  if (mode_ == Mode::measure) {
    keep_faster(library, layer, input, chosen, other);
    return chosen;
  }
  if (!own.forward) chosen.forward = std::move(other.forward);
  if (!own.backward_weights) chosen.backward_weights = std::move(other.backward_weights);
  if (!own.backward_data) chosen.backward_data = std::move(other.backward_data);
  return chosen;
}

}  // namespace oida::onednn
