#include "engine/onednn/onednn_engine.hpp"

#include "core/error.hpp"
#include "engine/checks.hpp"
#include "engine/onednn/chain.hpp"
#include "engine/onednn/loss.hpp"

namespace oida {
namespace {

using onednn::Chain;
using onednn::Element;
using onednn::Pass;
using onednn::ThreadScope;

Element element_of(const EngineOptions& options) {
  if (options.precision == "fp32") return Element::f32;
  if (options.precision != "bf16") {
    throw InputError("train.precision", "'" + options.precision + "', allowed: fp32, bf16");
  }
  if (!onednn::has_isa(dnnl::cpu_isa::avx512_core_bf16)) {
    throw InputError("train.precision", "bf16 needs a CPU with avx512_bf16, allowed here: fp32");
  }
  return Element::bf16;
}

/// Of what may run beside a step, whose threads it leaves alone.
constexpr int kBeside = 1;

/// Runs `work` on `threads` threads, with the library's errors as the project's.
template <typename Work>
auto guarded(int threads, const Work& work) {
  const ThreadScope scope(threads);
  try {
    return work();
  } catch (const dnnl::error& error) {
    throw Error("onednn", error.what());
  }
}

class OnednnEngine : public Engine {
 public:
  OnednnEngine(const Network& network, const EngineOptions& options)
      : Engine(network, options), chain_(guarded(options.threads, [&] {
          return std::make_unique<Chain>(this->network(), this->options(), element_of(options));
        })) {}

  int channel_stride() const override { return onednn::padded_channels(network()); }
  std::size_t flat_size() const override { return chain_->flat_size(); }

  void import_flat(std::span<const float> canonical, std::span<float> flat) const override {
    check_arrays(canonical.size(), flat.size());
    guarded(kBeside, [&] { chain_->import_parameters(canonical, flat.data()); });
  }

  void export_flat(std::span<const float> flat, std::span<float> canonical) const override {
    check_arrays(canonical.size(), flat.size());
    guarded(kBeside, [&] { chain_->export_parameters(flat.data(), canonical); });
  }

  StepResult step(const Batch& batch, std::span<const float> parameters, std::span<float> gradient,
                  const Poll& poll) override {
    check_batch(*this, batch);
    check_size("parameter array", parameters.size(), flat_size());
    check_size("gradient array", gradient.size(), flat_size());
    return guarded(options().threads, [&] {
      const Pass pass{&batch, parameters.data(), gradient.data(), true, &poll};
      chain_->forward(pass);
      const StepResult result = chain_->loss(pass);
      chain_->backward(pass);
      return result;
    });
  }

  std::vector<FlatRange> moments() const override { return chain_->moments(); }

  void predict(const Batch& batch, std::span<const float> parameters,
               std::span<float> probabilities) override {
    check_batch(*this, batch);
    check_size("parameter array", parameters.size(), flat_size());
    check_size("probability array", probabilities.size(),
               static_cast<std::size_t>(batch.n) * label_count(network()) *
                   static_cast<std::size_t>(network().classes));
    guarded(options().threads, [&] {
      chain_->forward({&batch, parameters.data(), nullptr, false, nullptr});
      onednn::softmax(chain_->logits(), batch.n, probabilities.data());
    });
  }

  std::vector<MemoryItem> memory() const override { return chain_->memory(); }

  std::vector<std::string> kernels() const override {
    std::vector<std::string> lines;
    for (const auto& [layer, direction, kernel] : chain_->kernels()) {
      lines.push_back(layer + " " + direction + ": " + kernel);
    }
    return lines;
  }

 private:
  void check_arrays(std::size_t canonical, std::size_t flat) const {
    check_size("canonical array", canonical, parameter_count(network()));
    check_size("flat array", flat, flat_size());
  }

  std::unique_ptr<Chain> chain_;
};

}  // namespace

std::unique_ptr<Engine> make_onednn_engine(const Network& network, const EngineOptions& options) {
  check_options(network, options);
  return std::make_unique<OnednnEngine>(network, options);
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace oida
