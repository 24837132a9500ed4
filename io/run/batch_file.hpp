#pragma once
// nonfinite-batch.unit-R.h5: what a unit trained on when its loss or its parameters went wrong.

#include <cstdint>
#include <string>
#include <vector>

#include "data/batch.hpp"
#include "data/split.hpp"
#include "nn/network.hpp"

namespace oida {

struct BadBatch {
  std::int64_t step = 0;
  Network network;
  std::vector<float> parameters;  // canonical order, as they are when the run gives up
  std::vector<Sample> samples;
  Batch batch;  // of the same samples, as the engine gets it
};

/// /samples [n, 4] (block of the split, row, col, label), /input [n, rows, cols, channel_stride]
/// and /parameters/<layer>/weight|bias, with the step and the number of values that are not finite
/// in each as attributes. Error naming the file.
void write_bad_batch(const std::string& path, const BadBatch& bad);

}  // namespace oida
