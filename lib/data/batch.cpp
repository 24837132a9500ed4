#include "data/batch.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace oida {

Batch::Batch(int capacity, int rows_, int cols_, int channels_, int channel_stride_,
             std::size_t sample_labels_)
    : n(capacity),
      rows(rows_),
      cols(cols_),
      channels(channels_),
      channel_stride(channel_stride_),
      sample_labels(sample_labels_) {
  if (std::min({n, rows, cols, channels}) < 1 || channel_stride < channels) {
    throw Error("batch", std::to_string(n) + " samples of " + std::to_string(rows) + " x " +
                             std::to_string(cols) + " px, " + std::to_string(channels) +
                             " channels in a stride of " + std::to_string(channel_stride));
  }
  input.assign(static_cast<std::size_t>(n) * sample_floats(), 0.0F);
  labels.assign(static_cast<std::size_t>(n) * sample_labels, -1);
}

}  // namespace oida
