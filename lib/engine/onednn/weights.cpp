#include "engine/onednn/weights.hpp"

#include <algorithm>
#include <vector>

namespace oida::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

/// Canonical order of an array of the same dims.
dnnl::memory::desc plain(const dnnl::memory::desc& layout) {
  const dnnl::memory::dims dims = layout.dims();
  return {dims, dnnl::memory::data_type::f32, dims.size() == 2 ? Tag::oi : Tag::oihw};
}

}  // namespace

std::size_t whole_lines(std::size_t floats) {
  return (floats + 15) / 16 * 16;
}

FlatWeights::FlatWeights(const dnnl::memory::desc& layout, const Parameter& weight,
                         const Parameter& bias, std::size_t offset)
    : layout_(layout),
      rows_(bias.size),
      row_(weight.size / bias.size),
      wider_(plain(layout).get_size() / sizeof(float) / bias.size),
      offset_(offset),
      bias_offset_(offset + whole_lines(layout.get_size() / sizeof(float))),
      canonical_weight_(weight.offset),
      canonical_bias_(bias.offset) {}

std::size_t FlatWeights::end() const {
  return bias_offset_ + whole_lines(rows_);
}

void FlatWeights::import_from(Library& library, std::span<const float> canonical,
                              float* flat) const {
  clear_gaps(flat);
  std::vector<float> wide(rows_ * wider_, 0.0F);
  for (std::size_t r = 0; r < rows_; ++r) {
    std::ranges::copy(canonical.subspan(canonical_weight_ + r * row_, row_),
                      wide.begin() + static_cast<std::ptrdiff_t>(r * wider_));
  }
  copy_layout(library, plain(layout_), wide.data(), layout_, weight(flat));
  std::ranges::copy(canonical.subspan(canonical_bias_, rows_), bias(flat));
}

void FlatWeights::export_to(Library& library, const float* flat, std::span<float> canonical) const {
  std::vector<float> wide(rows_ * wider_);
  copy_layout(library, layout_, weight(flat), plain(layout_), wide.data());
  for (std::size_t r = 0; r < rows_; ++r) {
    std::copy_n(wide.begin() + static_cast<std::ptrdiff_t>(r * wider_), row_,
                canonical.begin() + static_cast<std::ptrdiff_t>(canonical_weight_ + r * row_));
  }
  std::copy_n(bias(flat), rows_, canonical.begin() + static_cast<std::ptrdiff_t>(canonical_bias_));
}

void FlatWeights::clear_gaps(float* flat) const {
  const std::size_t used = layout_.get_size() / sizeof(float);
  std::fill(flat + offset_ + used, flat + bias_offset_, 0.0F);
  std::fill(flat + bias_offset_ + rows_, flat + end(), 0.0F);
}

}  // namespace oida::onednn
