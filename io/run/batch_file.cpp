#include "io/run/batch_file.hpp"

#include <algorithm>
#include <cmath>

#include "io/h5.hpp"
#include "io/run/h5_parameters.hpp"

namespace oida {
namespace {

std::int64_t not_finite(std::span<const float> values) {
  return std::ranges::count_if(values, [](float value) { return !std::isfinite(value); });
}

}  // namespace

void write_bad_batch(const std::string& path, const BadBatch& bad) {
  H5Out file(path);
  file.attribute("/", "format", "oida batch");
  file.attribute("/", "step", bad.step);
  std::vector<double> places;
  for (const Sample& sample : bad.samples) {
    places.insert(places.end(),
                  {static_cast<double>(sample.block), static_cast<double>(sample.row),
                   static_cast<double>(sample.col), static_cast<double>(sample.label)});
  }
  file.write<double>("samples", places, {bad.samples.size(), 4});
  const Batch& batch = bad.batch;
  const auto n = static_cast<std::size_t>(batch.n);
  const std::span input(batch.input.data(), n * batch.sample_floats());
  file.write<float>("input", input,
                    {n, static_cast<hsize_t>(batch.rows), static_cast<hsize_t>(batch.cols),
                     static_cast<hsize_t>(batch.channel_stride)});
  file.attribute("input", "channels", batch.channels);
  file.attribute("input", "not_finite", not_finite(input));
  write_parameters(file, "parameters", bad.network, bad.parameters);
  file.attribute("parameters", "not_finite", not_finite(bad.parameters));
  file.close();
}

}  // namespace oida
