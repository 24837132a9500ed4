#include "engine/onednn/chain.hpp"

#include <algorithm>

#include "engine/onednn/elementwise.hpp"

namespace oida::onednn {
namespace {

constexpr int kChannelBlock = 16;

}  // namespace

int padded_channels(const Network& network) {
  return (network.input.c + kChannelBlock - 1) / kChannelBlock * kChannelBlock;
}

Chain::Chain(const Network& network, const EngineOptions& options, Element element)
    : samples_(options.max_batch),
      input_{network.input, padded_channels(network), false, element, nullptr},
      plan_(make_plan(library_, network, options, input_)),
      loss_(options, logits(), element) {
  allocate();
}

void Chain::allocate() {
  const auto samples = static_cast<std::size_t>(samples_);
  std::size_t widest = 0;
  for (const auto& stage : plan_.stages) {
    Tensor& output = stage->output();
    if (output.joined()) continue;
    widest = std::max({widest, output.sample_size(), stage->wider_diff()});
    give_memory(output);
    if (stage->kept() != nullptr) give_memory(*stage->kept());
  }
  diff_ = Buffer(samples * widest * size_of(input_.element));
  spare_ = Buffer(samples * widest * size_of(input_.element));
  input_copy_ = Buffer(samples * input_.sample_size() * size_of(input_.element));
  scratch_ = Buffer(library_.scratch_bytes());
  library_.bind_scratch(scratch_.data());
}

void Chain::give_memory(Tensor& output) {
  outputs_.emplace_back(static_cast<std::size_t>(samples_) * output.sample_size() *
                        size_of(output.element));
  output.data = outputs_.back().data();
}

/// Reads the batch in place where it has room for all samples and is of the right type.
void Chain::take_input(const Batch& batch) {
  const std::size_t size = batch.sample_floats();
  if (input_.element == Element::bf16) {
    narrow(batch.input.data(), static_cast<Bf16*>(input_copy_.data()), batch.n, size);
  } else if (batch.input.size() < static_cast<std::size_t>(samples_) * size) {
    std::copy_n(batch.input.data(), static_cast<std::size_t>(batch.n) * size,
                static_cast<float*>(input_copy_.data()));
  } else {
    input_.data = const_cast<float*>(batch.input.data());
    return;
  }
  input_.data = input_copy_.data();
}

void Chain::forward(const Pass& pass) {
  take_input(*pass.batch);
  Pass with_spare = pass;
  with_spare.spare = spare_.data();
  pass.progress(plan_.flat_size);
  for (const auto& stage : plan_.stages) {
    stage->forward(with_spare);
    pass.progress(plan_.flat_size);
  }
}

StepResult Chain::loss(const Pass& pass) {
  const StepResult result = loss_.run(*pass.batch, diff_.data());
  pass.progress(plan_.flat_size);
  return result;
}

void Chain::backward(const Pass& pass) {
  void* diff = diff_.data();
  void* spare = spare_.data();
  std::size_t ready = plan_.flat_size;
  for (std::size_t i = plan_.stages.size(); ready > 0; --i) {
    Stage& stage = *plan_.stages[i - 1];
    if (stage.backward(pass, diff, spare) == spare) std::swap(diff, spare);
    ready = std::min(ready, stage.gradient_begin());
    if (ready > 0) add_held_to(stage.input(), diff);
    pass.progress(ready);
  }
}

/// A tensor that concats take also learns from them.
void Chain::add_held_to(const Tensor& output, void* diff) const {
  for (const void* held : output.held) add_held(output, samples_, held, diff);
}

void Chain::import_parameters(std::span<const float> canonical, float* flat) const {
  for (const auto& stage : plan_.stages) stage->import_parameters(library_, canonical, flat);
}

void Chain::export_parameters(const float* flat, std::span<float> canonical) const {
  for (const auto& stage : plan_.stages) stage->export_parameters(library_, flat, canonical);
}

std::vector<FlatRange> Chain::moments() const {
  std::vector<FlatRange> ranges;
  for (const auto& stage : plan_.stages) stage->add_moments(ranges);
  return ranges;
}

std::vector<KernelLine> Chain::kernels() const {
  std::vector<KernelLine> lines{{"input", "forward", "own"}};
  const auto append = [&](const std::vector<KernelLine>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  for (const auto& stage : plan_.stages) append(stage->forward_kernels());
  append({{"loss", "forward and backward", "own"}});
  for (std::size_t i = plan_.stages.size(); i > 0; --i) {
    append(plan_.stages[i - 1]->backward_kernels());
    if (plan_.stages[i - 1]->gradient_begin() == 0) break;
  }
  return lines;
}

std::vector<MemoryItem> Chain::memory() const {
  std::size_t outputs = 0;
  for (const Buffer& output : outputs_) outputs += output.bytes();
  std::size_t held = 0;
  for (const auto& stage : plan_.stages) held += stage->bytes();
  return {{"activations", outputs + input_copy_.bytes()},
          {"activation gradients", diff_.bytes() + spare_.bytes()},
          {"weight copies and masks", held},
          {"scratch", scratch_.bytes() + loss_.bytes()}};
}

}  // namespace oida::onednn
