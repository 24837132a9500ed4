// The training step of the reference workload on a GPU against the time that cuDNN's convolutions
// of it take alone. usage: oida_bench_gpu [BATCH]    exit code 77 without a GPU

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "engine/cuda/gpu_card.hpp"
#include "engine/cuda/layout.hpp"
#include "workload.hpp"

namespace oida::perf {
namespace {

constexpr int kWarmUp = 10;
constexpr int kSteps = 50;
constexpr int kNotRun = 77;

EngineOptions options_of(const std::string& precision, int batch) {
  EngineOptions options;
  options.kind = "cuda";
  options.precision = precision;
  options.max_batch = batch;
  options.kernels = {"measure"};
  return options;
}

template <typename Work>
double median_s(Work work) {
  std::vector<double> times;
  for (int i = -kWarmUp; i < kSteps; ++i) {
    const double began_s = now_s();
    work();
    if (i >= 0) times.push_back(now_s() - began_s);
  }
  return median(times);
}

/// The convolutions of a step, and nothing else, on arrays of their own.
class Convolutions {
 public:
  explicit Convolutions(const EngineOptions& options) : card_(options) {
    const Network network = reference_network();
    const auto image = cuda::images(network);
    const bool bf16 = cuda::arithmetic(options.precision) == cuda::Arithmetic::bf16;
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
      const Layer& what = network.layers[layer];
      if (what.kind != LayerKind::conv) continue;
      plans_.push_back(
          card_.add_conv({"conv" + std::to_string(layer), options.max_batch, image[layer],
                          image[layer + 1], what.kernel, what.stride, what.pad, layer > 0,
                          bf16 ? cuda::Element::bf16 : cuda::Element::f32}));
      const auto side = static_cast<std::size_t>(what.kernel * what.kernel);
      const auto n = static_cast<std::size_t>(options.max_batch);
      largest_ = std::max({largest_, n * image[layer].size(), n * image[layer + 1].size(),
                           side * static_cast<std::size_t>(image[layer].stride) *
                               static_cast<std::size_t>(image[layer + 1].stride)});
    }
    for (float*& array : arrays_) array = card_.allocate<float>(largest_, "arrays");
    done_ = card_.pinned<float>(1);
    card_.prepare(1);
  }

  void run() {
    for (const int plan : plans_) card_.conv_forward(plan, arrays_[0], arrays_[1], arrays_[2]);
    for (const int plan : plans_) {
      card_.conv_backward_weight(plan, arrays_[0], arrays_[2], arrays_[1]);
      if (plan > 0) card_.conv_backward_data(plan, arrays_[1], arrays_[2], arrays_[0]);
    }
    card_.fetch(done_, arrays_[0], sizeof(float));
    card_.mark_fetched(0);
    while (!card_.reached(0)) continue;
  }

 private:
  cuda::GpuCard card_;
  std::vector<int> plans_;
  std::size_t largest_ = 0;
  float* arrays_[3] = {};
  float* done_ = nullptr;
};

double floor_s(const EngineOptions& options) {
  Convolutions convolutions(options);
  return median_s([&] { convolutions.run(); });
}

/// As a unit trains: parameters and optimizer stay on the GPU. Patches are cut there from a scene
/// that stays too, or two ready batches of the host take turns in travelling.
class StayingTrainer {
 public:
  StayingTrainer(const EngineOptions& options, bool holds_scene)
      : engine_(make_engine(reference_network(), options)),
        pixels_(kSide_px * kSide_px * kChannels),
        signs_(kChannels, 1.0F),
        optimizer_({}, engine_->flat_size()) {
    Random random(1, Purpose::test);
    for (float& value : pixels_) value = static_cast<float>(random.normal());
    Scene scene;
    if (holds_scene) scene = {{pixels_}, signs_};
    batches_.assign(2, make_batch(*engine_));
    training_ = engine_->make_resident({}, scene);
    for (Batch& batch : batches_) fill(batch, random);
    AlignedVector<float> parameters(engine_->flat_size());
    engine_->import_flat(initial_parameters(engine_->network(), 1), parameters);
    training_->put(parameters, optimizer_);
  }

  void step() {
    const std::uint64_t step = steps_++;
    training_->step(batches_[step % 2], 0.01F, step, {}, [&] { return &batches_[(step + 1) % 2]; });
  }

 private:
  static constexpr std::size_t kSide_px = 1024;

  void fill(Batch& batch, Random& random) {
    for (auto& label : batch.labels) label = static_cast<std::int32_t>(random.below(kClasses));
    if (!training_->holds_scene()) return;
    batch.name_patches();
    for (PatchPlace& place : batch.places) {
      const auto inside = [&] {
        return static_cast<std::int32_t>(
            random.below(static_cast<std::uint32_t>(kSide_px) - kPatchPx));
      };
      place = {0, kSide_px, kSide_px, inside(), inside(), random.below(8)};
    }
  }

  std::unique_ptr<Engine> engine_;
  std::vector<float> pixels_, signs_;
  Optimizer optimizer_;
  std::vector<Batch> batches_;
  std::unique_ptr<ResidentTraining> training_;
  std::uint64_t steps_ = 0;
};

void report(const std::string& precision, int batch) {
  const EngineOptions options = options_of(precision, batch);
  const double floor = floor_s(options);
  for (const bool holds_scene : {true, false}) {
    StayingTrainer trainer(options, holds_scene);
    const double step = median_s([&] { trainer.step(); });
    std::printf("| %s | %s | %d | %.3f | %.3f | %.1f %% | %.0f | %.1f |\n", precision.c_str(),
                holds_scene ? "GPU" : "host", batch, step * 1e3, floor * 1e3, 100.0 * floor / step,
                batch / step, batch / step * kPatchPx * kPatchPx * 1e-6);
  }
}

}  // namespace
}  // namespace oida::perf

int main(int argc, char** argv) {
  using namespace oida;
  if (gpu_devices().empty()) {
    std::puts("not run: no GPU");
    return perf::kNotRun;
  }
  try {
    const int batch = argc > 1 ? std::atoi(argv[1]) : 1024;
    std::printf("%s, oceanlike, optimizer and transfers included\n", gpu_devices()[0].name.c_str());
    std::puts(
        "| precision | scene on | batch | step ms | convolutions alone ms | share | samples/s | "
        "Mpx/s |");
    std::puts("|---|---|---:|---:|---:|---:|---:|---:|");
    for (const char* precision : {"fp32", "tf32", "bf16"}) perf::report(precision, batch);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "oida: error: %s\n", error.what());
    return 1;
  }
}
