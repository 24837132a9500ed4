#pragma once
// A layer that this engine computes itself and that has parameters of its own.

#include <utility>

#include "engine/onednn/parameter_arrays.hpp"
#include "engine/onednn/simple_stages.hpp"

namespace oida::onednn {

class ArraysStage : public SimpleStage {
 public:
  ArraysStage(const SimpleLayer& layer, const Tensor& input, ParameterArrays arrays)
      : SimpleStage(layer, input), arrays_(std::move(arrays)) {}

  std::size_t gradient_begin() const override { return arrays_.begin(); }
  std::size_t parameters_end() const override { return arrays_.end(); }
  void import_parameters(const Library& /*library*/, std::span<const float> canonical,
                         float* flat) const override {
    arrays_.import_from(canonical, flat);
  }
  void export_parameters(const Library& /*library*/, const float* flat,
                         std::span<float> canonical) const override {
    arrays_.export_to(flat, canonical);
  }
  void add_moments(std::vector<FlatRange>& ranges) const override { arrays_.add_moments(ranges); }

 protected:
  ParameterArrays arrays_;
};

}  // namespace oida::onednn
