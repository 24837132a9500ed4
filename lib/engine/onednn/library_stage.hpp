#pragma once
// A convolution or dense layer by oneDNN: forward with bias and relu fused, gradient of the weight
// straight into the flat array, gradient of the input.

#include "engine/onednn/buffer.hpp"
#include "engine/onednn/trained_stage.hpp"

namespace oida::onednn {

/// The flat array holds the weight in the layout in which the library computes its gradient; the
/// other two directions read it there when they can, else a copy made at each pass (also the cast
/// to bf16).
class LibraryStage : public TrainedStage {
 public:
  LibraryStage(Library& library, const TrainedLayer& layer, const Tensor& input);

  void forward(const Pass& pass) override;
  void* backward(const Pass& pass, void* diff, void* spare) override;
  std::vector<KernelLine> forward_kernels() const override;
  std::vector<KernelLine> backward_kernels() const override;
  std::size_t bytes() const override;

 private:
  /// A weight as one direction wants it.
  struct Copy {
    Call reorder;  // none: the flat array is read in place
    Buffer data;
  };

  void make_conv(const TrainedLayer& layer);
  void make_dense(const TrainedLayer& layer);
  template <typename Forward, typename Data, typename Weights>
  void connect(const TrainedLayer& layer, const typename Forward::primitive_desc& forward,
               const typename Data::primitive_desc& data,
               const typename Weights::primitive_desc& weights);
  void make_copy(Copy& copy, const dnnl::memory::desc& wanted);
  const void* weight_for(Copy& copy, const float* flat);

  Library& library_;
  Call forward_;
  Call backward_data_;
  Call backward_weights_;
  Copy forward_weight_;
  Copy backward_weight_;
};

}  // namespace oida::onednn
