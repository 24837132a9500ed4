#pragma once
// A convolution (transposed or not) or dense layer, with the relu and the 2x2 max-pool that follow
// it.

#include <vector>

#include "engine/onednn/directions.hpp"

namespace oida::onednn {

/// Of a pooled layer only the pool's output is kept, with the places that it took, and what it
/// pooled where others read that: a direction that knows nothing of pools works through the spare
/// buffer.
class TrainedStage : public Stage {
 public:
  TrainedStage(const TrainedLayer& layer, const Tensor& input, Directions directions);

  std::size_t gradient_begin() const override { return weights_.begin(); }
  std::size_t parameters_end() const override { return weights_.end(); }
  void import_parameters(const Library& library, std::span<const float> canonical,
                         float* flat) const override {
    weights_.import_from(library, canonical, flat);
  }
  void export_parameters(const Library& library, const float* flat,
                         std::span<float> canonical) const override {
    weights_.export_to(library, flat, canonical);
  }

  Tensor* kept() override { return layer_.keeps ? &whole_ : nullptr; }
  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::vector<KernelLine> forward_kernels() const override;
  std::vector<KernelLine> backward_kernels() const override;
  std::size_t bytes() const override;
  std::size_t wider_diff() const override { return whole_.sample_size(); }

 private:
  bool spreads_diff() const;
  const void* held_sum() const;

  TrainedLayer layer_;
  Directions directions_;
  FlatWeights weights_;
  Tensor whole_;                     // the output before the pool
  std::vector<std::uint8_t> taken_;  // of the pool's output
};

}  // namespace oida::onednn
