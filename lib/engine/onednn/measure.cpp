#include "engine/onednn/measure.hpp"

#include <algorithm>
#include <limits>

#include "core/clock.hpp"
#include "engine/onednn/buffer.hpp"
#include "engine/onednn/half_pool.hpp"

namespace oida::onednn {
namespace {

/// Seconds of the fastest of a few runs after a first one.
template <typename Work>
double fastest_s(const Work& work) {
  constexpr int kRuns = 7;
  work();
  double fastest = std::numeric_limits<double>::max();
  for (int i = 0; i < kRuns; ++i) {
    const double begin = now_s();
    work();
    fastest = std::min(fastest, now_s() - begin);
  }
  return fastest;
}

/// The arrays of one layer, all zero: no kernel here is faster or slower for that.
class Bench {
 public:
  Bench(Library& library, const TrainedLayer& layer, const Tensor& input, std::size_t weight_bytes)
      : layer_(layer),
        input_(input),
        whole_{layer.output, layer.output.c, layer.layer.relu, input.element, nullptr},
        source_(bytes_of(input)),
        weight_(weight_bytes),
        bias_(static_cast<std::size_t>(layer.output.c) * sizeof(float)),
        output_(bytes_of(whole_)),
        result_(bytes_of(input)),
        diff_(bytes_of(whole_)),
        spread_(bytes_of(whole_)),
        taken_(bytes_of(whole_)),
        scratch_(library.scratch_bytes()) {
    library.bind_scratch(scratch_.data());
    input_.data = source_.data();
    whole_.data = output_.data();
  }

  double time_s(Forward& kernel) {
    const bool apart = layer_.pooled && !kernel.pools();
    return fastest_s([&] {
      kernel.run(input_, weight(), bias(),
                 {output_.data(), apart ? nullptr : places(), kept(apart)});
      if (apart) halve(whole_, pooled(), layer_.samples, taken());
    });
  }

  double time_s(BackwardWeights& kernel) {
    const bool apart = layer_.pooled && !kernel.pools();
    return fastest_s([&] {
      if (apart) spread(pooled(), whole_, layer_.samples, diff_.data(), taken(), spread_.data());
      kernel.run(input_, slopes(apart), weight(), bias());
    });
  }

  double time_s(BackwardData& kernel) {
    const bool apart = layer_.pooled && !kernel.pools();
    return fastest_s([&] { kernel.run(slopes(apart), weight(), input_, result_.data()); });
  }

 private:
  std::size_t bytes_of(const Tensor& tensor) const {
    return static_cast<std::size_t>(layer_.samples) * tensor.sample_size() *
           size_of(tensor.element);
  }
  float* weight() { return static_cast<float*>(weight_.data()); }
  float* bias() { return static_cast<float*>(bias_.data()); }
  std::uint8_t* taken() { return static_cast<std::uint8_t*>(taken_.data()); }
  std::uint8_t* places() { return layer_.pooled ? taken() : nullptr; }
  void* kept(bool apart) const { return layer_.keeps && !apart ? spread_.data() : nullptr; }
  Slopes slopes(bool apart) {
    if (apart) return {spread_.data()};
    return {diff_.data(), places(), kept(apart)};
  }
  Tensor pooled() const {
    Tensor half = whole_;
    half.shape.h /= 2;
    half.shape.w /= 2;
    half.data = diff_.data();
    return half;
  }

  const TrainedLayer& layer_;
  Tensor input_;
  Tensor whole_;
  Buffer source_, weight_, bias_, output_, result_, diff_, spread_, taken_, scratch_;
};

template <typename Kernel>
void keep(Bench& bench, std::unique_ptr<Kernel>& kernel, std::unique_ptr<Kernel>& other) {
  if (kernel == nullptr) return;
  if (bench.time_s(*other) < bench.time_s(*kernel)) kernel.swap(other);
}

}  // namespace

void keep_faster(Library& library, const TrainedLayer& layer, const Tensor& input,
                 Directions& directions, Directions& other) {
  Bench bench(library, layer, input, directions.weight_layout.get_size());
  keep(bench, directions.forward, other.forward);
  keep(bench, directions.backward_weights, other.backward_weights);
  keep(bench, directions.backward_data, other.backward_data);
  library.bind_scratch(nullptr);
}

}  // namespace oida::onednn
