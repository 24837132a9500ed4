#pragma once
// Parameters that stand in the flat array in canonical order, each array from a cache line on.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "nn/network.hpp"

namespace oida::onednn {

class ParameterArrays {
 public:
  ParameterArrays() = default;
  /// `arrays` of one layer, from `offset` of the flat array on.
  ParameterArrays(std::vector<Parameter> arrays, std::size_t offset);

  std::size_t begin() const { return offset_; }
  std::size_t end() const;
  const float* at(std::size_t array, const float* flat) const { return flat + places_[array]; }
  float* at(std::size_t array, float* flat) const { return flat + places_[array]; }

  void import_from(std::span<const float> canonical, float* flat) const;
  void export_to(const float* flat, std::span<float> canonical) const;
  /// Zeroes what lies between the arrays.
  void clear_gaps(float* flat) const;
  void add_moments(std::vector<FlatRange>& ranges) const;

 private:
  std::vector<Parameter> arrays_;
  std::vector<std::size_t> places_;  // of each array, then of what follows
  std::size_t offset_ = 0;
};

}  // namespace oida::onednn
