#pragma once
// group_norm and batch_norm: values that share moments form a set, a group of channels of a sample
// or a channel of the batch.
//
// oneDNN 2.6 has no group norm, and its batch norm takes the moments of every sample of its arrays:
// here those beyond batch.n are of an older batch and count in no moment.

#include <vector>

#include "engine/onednn/arrays_stage.hpp"

namespace oida::onednn {

/// Moments are summed sample by sample, from float32 sums of few pixels in double, then in the
/// order of samples: they do not depend on the number of threads.
class NormStage : public ArraysStage {
 public:
  NormStage(const SimpleLayer& layer, const Tensor& input, ParameterArrays arrays);

  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::size_t bytes() const override;

 private:
  /// [samples, channels]; from `of` a sample's row.
  template <typename T>
  T* row(std::vector<T>& of, int n) const {
    return of.data() + static_cast<std::size_t>(n) * input().stride();
  }
  bool over_batch() const { return layer_.layer.kind == LayerKind::batch_norm; }
  int used(const Pass& pass) const { return over_batch() ? pass.batch->n : layer_.samples; }
  int channels() const { return input().shape.c; }
  std::size_t set_of(int n, int c) const;
  double set_size(const Pass& pass) const;
  void mean_by_set(const Pass& pass, std::vector<double>& values, std::vector<double>& means);
  void take_running(const Pass& pass);
  void measure(const Pass& pass);
  void place_moments(const Pass& pass);
  void sum_slopes(const Pass& pass, const void* diff);
  void write_gradients(const Pass& pass);
  void write_moments(const Pass& pass);
  void place_slopes(const Pass& pass);

  std::vector<double> sums_, more_sums_;     // [samples, channels]
  std::vector<double> mean_, variance_;      // by set
  std::vector<double> set_sum_, set_along_;  // by set, of the way back
  std::vector<float> center_, inverse_;      // [samples, channels]: mean and 1 / deviation
  std::vector<float> scale_, shift_, turn_;  // [samples, channels]: what a pass works with
};

}  // namespace oida::onednn
