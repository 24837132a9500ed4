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

FlatWeights::FlatWeights(const dnnl::memory::desc& layout, const Tensor& input,
                         const Parameter& weight, const Parameter& bias, std::size_t offset)
    : layout_(layout),
      rows_(bias.size),
      row_(weight.size / bias.size),
      wide_(plain(layout).get_size() / sizeof(float) / bias.size),
      pixels_(weight.dims.size() == 2 ? input.sample_size() / input.stride() : row_),
      channels_(weight.dims.size() == 2 ? input.stride() : 1),
      offset_(offset),
      bias_offset_(offset + whole_lines(layout.get_size() / sizeof(float))),
      canonical_weight_(weight.offset),
      canonical_bias_(bias.offset) {}

template <typename Visit>
void FlatWeights::for_each_of_row(const Visit& visit) const {
  for (std::size_t begin = 0, channel = 0; begin < row_; begin += pixels_, ++channel) {
    for (std::size_t p = 0; p < pixels_; ++p) visit(begin + p, p * channels_ + channel);
  }
}

std::size_t FlatWeights::end() const {
  return bias_offset_ + whole_lines(rows_);
}

void FlatWeights::import_from(const Library& library, std::span<const float> canonical,
                              float* flat) const {
  clear_gaps(flat);
  std::vector<float> wide(rows_ * wide_, 0.0F);
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto row = canonical.subspan(canonical_weight_ + r * row_, row_);
    float* into = wide.data() + r * wide_;
    for_each_of_row([&](std::size_t i, std::size_t place) { into[place] = row[i]; });
  }
  copy_layout(library, plain(layout_), wide.data(), layout_, weight(flat));
  std::ranges::copy(canonical.subspan(canonical_bias_, rows_), bias(flat));
}

void FlatWeights::export_to(const Library& library, const float* flat,
                            std::span<float> canonical) const {
  std::vector<float> wide(rows_ * wide_);
  copy_layout(library, layout_, weight(flat), plain(layout_), wide.data());
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto row = canonical.subspan(canonical_weight_ + r * row_, row_);
    const float* from = wide.data() + r * wide_;
    for_each_of_row([&](std::size_t i, std::size_t place) { row[i] = from[place]; });
  }
  std::copy_n(bias(flat), rows_, canonical.subspan(canonical_bias_, rows_).begin());
}

void FlatWeights::clear_gaps(float* flat) const {
  const std::size_t used = layout_.get_size() / sizeof(float);
  std::fill(flat + offset_ + used, flat + bias_offset_, 0.0F);
  std::fill(flat + bias_offset_ + rows_, flat + end(), 0.0F);
}

}  // namespace oida::onednn
