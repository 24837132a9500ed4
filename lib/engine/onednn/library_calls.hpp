#pragma once
// The three directions of any layer that oneDNN has, around its primitives.

#include <optional>

#include "engine/onednn/buffer.hpp"
#include "engine/onednn/directions.hpp"
#include "engine/onednn/elementwise.hpp"
#include "engine/onednn/library.hpp"

namespace oida::onednn {

/// A copy of the weight in another layout; none when both are the same.
class Copy {
 public:
  Copy(Library& library, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
    if (from == to) return;
    const dnnl::reorder::primitive_desc reorder(library.engine(), from, library.engine(), to,
                                                attributes());
    reorder_ = Call(library, dnnl::reorder(reorder), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    size_ = to.get_size();
  }

  explicit operator bool() const { return static_cast<bool>(reorder_); }
  std::size_t bytes() const { return size_; }
  void run(Library& library, const void* from, void* to) {
    reorder_.run(library, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

 private:
  Call reorder_;
  std::size_t size_ = 0;
};

/// The weight as a direction reads it.
class WeightReader {
 public:
  WeightReader(Library& library, const dnnl::memory::desc& flat, const dnnl::memory::desc& wanted)
      : copy_(library, flat, wanted), data_(copy_.bytes()) {}

  std::size_t bytes() const { return data_.bytes(); }
  const void* read(Library& library, const float* flat) {
    if (!copy_) return flat;
    copy_.run(library, flat, data_.data());
    return data_.data();
  }

 private:
  Copy copy_;
  Buffer data_;
};

template <typename Primitive>
class LibraryForward : public Forward {
 public:
  LibraryForward(Library& library, const typename Primitive::primitive_desc& description,
                 const dnnl::memory::desc& flat)
      : library_(library),
        reader_(library, flat, description.weights_desc()),
        call_(library, Primitive(description),
              {{DNNL_ARG_SRC, description.src_desc()},
               {DNNL_ARG_WEIGHTS, description.weights_desc()},
               {DNNL_ARG_BIAS, description.bias_desc()},
               {DNNL_ARG_DST, description.dst_desc()}}) {}

  std::string name() const override { return "library " + call_.implementation(); }
  std::size_t bytes() const override { return reader_.bytes(); }
  void run(const Tensor& source, const float* weight, const float* bias,
           const Outputs& outputs) override {
    call_.run(library_, {{DNNL_ARG_SRC, source.data},
                         {DNNL_ARG_WEIGHTS, reader_.read(library_, weight)},
                         {DNNL_ARG_BIAS, bias},
                         {DNNL_ARG_DST, outputs.values}});
  }

 private:
  Library& library_;
  WeightReader reader_;
  Call call_;
};

template <typename Primitive>
class LibraryBackwardData : public BackwardData {
 public:
  LibraryBackwardData(Library& library, const typename Primitive::primitive_desc& description,
                      const dnnl::memory::desc& flat, int samples)
      : library_(library),
        reader_(library, flat, description.weights_desc()),
        call_(library, Primitive(description),
              {{DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
               {DNNL_ARG_WEIGHTS, description.weights_desc()},
               {DNNL_ARG_DIFF_SRC, description.diff_src_desc()}}),
        samples_(samples) {}

  std::string name() const override { return "library " + call_.implementation(); }
  std::size_t bytes() const override { return reader_.bytes(); }
  void run(const Slopes& slopes, const float* weight, const Tensor& source, void* result) override {
    call_.run(library_, {{DNNL_ARG_DIFF_DST, slopes.values},
                         {DNNL_ARG_WEIGHTS, reader_.read(library_, weight)},
                         {DNNL_ARG_DIFF_SRC, result}});
    if (source.relu) mask_where_not_positive(source, samples_, result);
  }

 private:
  Library& library_;
  WeightReader reader_;
  Call call_;
  int samples_;
};

template <typename Primitive>
class LibraryBackwardWeights : public BackwardWeights {
 public:
  LibraryBackwardWeights(Library& library, const typename Primitive::primitive_desc& description,
                         const dnnl::memory::desc& flat)
      : library_(library),
        copy_(library, description.diff_weights_desc(), flat),
        data_(copy_ ? description.diff_weights_desc().get_size() : 0),
        call_(library, Primitive(description),
              {{DNNL_ARG_SRC, description.src_desc()},
               {DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
               {DNNL_ARG_DIFF_WEIGHTS, description.diff_weights_desc()},
               {DNNL_ARG_DIFF_BIAS, description.diff_bias_desc()}}) {}

  std::string name() const override { return "library " + call_.implementation(); }
  std::size_t bytes() const override { return data_.bytes(); }
  void run(const Tensor& source, const Slopes& slopes, float* weight, float* bias) override {
    void* target = copy_ ? data_.data() : weight;
    call_.run(library_, {{DNNL_ARG_SRC, source.data},
                         {DNNL_ARG_DIFF_DST, slopes.values},
                         {DNNL_ARG_DIFF_WEIGHTS, target},
                         {DNNL_ARG_DIFF_BIAS, bias}});
    if (copy_) copy_.run(library_, target, weight);
  }

 private:
  Library& library_;
  Copy copy_;
  Buffer data_;
  Call call_;
};

/// The weight stands in `layout`, or where the library computes its gradient.
template <typename ForwardPrimitive, typename DataPrimitive, typename WeightsPrimitive>
Directions connect(Library& library, const TrainedLayer& layer,
                   const std::optional<dnnl::memory::desc>& layout,
                   const typename ForwardPrimitive::primitive_desc& forward,
                   const typename DataPrimitive::primitive_desc& data,
                   const typename WeightsPrimitive::primitive_desc& weights) {
  Directions all;
  const dnnl::memory::desc flat = layout.value_or(weights.diff_weights_desc());
  all.weight_layout = flat;
  all.forward = std::make_unique<LibraryForward<ForwardPrimitive>>(library, forward, flat);
  all.backward_weights =
      std::make_unique<LibraryBackwardWeights<WeightsPrimitive>>(library, weights, flat);
  if (!layer.first) {
    all.backward_data =
        std::make_unique<LibraryBackwardData<DataPrimitive>>(library, data, flat, layer.samples);
  }
  return all;
}

inline dnnl::memory::data_type type_of(Element element) {
  return element == Element::f32 ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
}

}  // namespace oida::onednn
