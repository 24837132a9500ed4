#include "engine/onednn/parameter_arrays.hpp"

#include <algorithm>

#include "engine/onednn/weights.hpp"

namespace oida::onednn {

ParameterArrays::ParameterArrays(std::vector<Parameter> arrays, std::size_t offset)
    : arrays_(std::move(arrays)), places_{offset}, offset_(offset) {
  for (const auto& array : arrays_) places_.push_back(places_.back() + whole_lines(array.size));
}

std::size_t ParameterArrays::end() const {
  return places_.back();
}

void ParameterArrays::import_from(std::span<const float> canonical, float* flat) const {
  clear_gaps(flat);
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::ranges::copy(canonical.subspan(arrays_[i].offset, arrays_[i].size), at(i, flat));
  }
}

void ParameterArrays::export_to(const float* flat, std::span<float> canonical) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::copy_n(at(i, flat), arrays_[i].size,
                canonical.subspan(arrays_[i].offset, arrays_[i].size).begin());
  }
}

void ParameterArrays::clear_gaps(float* flat) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::fill(at(i, flat) + arrays_[i].size, flat + places_[i + 1], 0.0F);
  }
}

void ParameterArrays::add_moments(std::vector<FlatRange>& ranges) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].moment) ranges.push_back({places_[i], arrays_[i].size});
  }
}

}  // namespace oida::onednn
