#pragma once
// A small network and model for the tests of files.

#include "io/run/model_file.hpp"
#include "io/testing.hpp"

namespace oida::testing {

inline Network small_network() {
  return from_lines({"conv 2 3 relu", "max_pool 2", "dense 4 relu"}, {9, 5, 5}, 3);
}

inline std::vector<float> ramp(std::size_t size, float first) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = first + 0.5F * static_cast<float>(i);
  return values;
}

inline Model small_model() {
  Model model;
  model.network = small_network();
  model.network.name = "small";
  model.parameters = ramp(parameter_count(model.network), -3.0F);
  model.classes = three_classes();
  model.recipe.filter = speckle_filter("refined_lee:5:4");
  model.normaliser.mean = ramp(9, 10.0F);
  model.normaliser.inverse_deviation = ramp(9, 0.25F);
  model.patch_px = 5;
  return model;
}

inline bool same(const Model& a, const Model& b) {
  return a.network == b.network && a.parameters == b.parameters &&
         a.classes.names == b.classes.names && a.classes.colours == b.classes.colours &&
         a.recipe == b.recipe && a.normaliser.mean == b.normaliser.mean &&
         a.normaliser.inverse_deviation == b.normaliser.inverse_deviation &&
         a.patch_px == b.patch_px;
}

}  // namespace oida::testing
