#include "engine/canonical_engine.hpp"

#include <algorithm>

#include "core/hash.hpp"
#include "engine/checks.hpp"

namespace oida {
namespace {

/// Arrays of the caller are canonical, those of `inner` in its engine's order.
class CanonicalTraining final : public ResidentTraining {
 public:
  CanonicalTraining(const Engine& engine, std::unique_ptr<ResidentTraining> inner,
                    const OptimizerOptions& options)
      : engine_(engine),
        inner_(std::move(inner)),
        optimizer_(options, engine.flat_size()),
        flat_(engine.flat_size()) {}

  void put(std::span<const float> parameters, Optimizer& optimizer) override {
    engine_.import_flat(parameters, flat_);
    for (std::size_t i = 0; i < optimizer_.slots(); ++i) {
      engine_.import_flat(optimizer.slot(i), optimizer_.slot(i));
    }
    inner_->put(flat_, optimizer_);
  }
  bool holds_scene() const override { return inner_->holds_scene(); }
  StepResult step(const Batch& batch, float rate, std::uint64_t step, const Poll& poll,
                  const Ahead& ahead) override {
    return inner_->step(batch, rate, step, poll, ahead);
  }
  void send(float weight) override { inner_->send(weight); }
  bool sent(std::span<float> out) override {
    if (!inner_->sent(flat_)) return false;
    engine_.export_flat(flat_, out);
    return true;
  }
  void merge(std::span<const float> mean) override {
    engine_.import_flat(mean, flat_);
    inner_->merge(flat_);
  }
  void get(std::span<float> parameters, Optimizer& optimizer) override {
    inner_->get(flat_, optimizer_);
    engine_.export_flat(flat_, parameters);
    for (std::size_t i = 0; i < optimizer_.slots(); ++i) {
      engine_.export_flat(optimizer_.slot(i), optimizer.slot(i));
    }
  }

 private:
  const Engine& engine_;
  std::unique_ptr<ResidentTraining> inner_;
  Optimizer optimizer_;
  AlignedVector<float> flat_;
};

class CanonicalEngine final : public Engine {
 public:
  explicit CanonicalEngine(std::unique_ptr<Engine> inner)
      : Engine(inner->network(), inner->options()),
        inner_(std::move(inner)),
        flat_(inner_->flat_size()),
        gradient_(inner_->flat_size()) {}

  int channel_stride() const override { return inner_->channel_stride(); }
  std::size_t flat_size() const override { return parameter_count(network()); }
  void import_flat(std::span<const float> canonical, std::span<float> flat) const override {
    check_size("canonical array", canonical.size(), flat_size());
    check_size("flat array", flat.size(), flat_size());
    std::ranges::copy(canonical, flat.begin());
  }
  void export_flat(std::span<const float> flat, std::span<float> canonical) const override {
    import_flat(flat, canonical);
  }
  StepResult step(const Batch& batch, std::span<const float> parameters, std::span<float> gradient,
                  const Poll& poll) override;
  std::vector<FlatRange> moments() const override;
  void predict(const Batch& batch, std::span<const float> parameters,
               std::span<float> probabilities) override {
    inner_->import_flat(parameters, flat_);
    inner_->predict(batch, flat_, probabilities);
  }
  std::unique_ptr<ResidentTraining> make_resident(const OptimizerOptions& options,
                                                  const Scene& scene) override;
  bool has_room_for_scene(std::size_t bytes) const override {
    return inner_->has_room_for_scene(bytes);
  }
  std::vector<MemoryItem> memory() const override {
    auto items = inner_->memory();
    items.push_back({"parameters and gradient in the engine's order",
                     (flat_.size() + gradient_.size()) * sizeof(float)});
    return items;
  }
  std::vector<std::string> kernels() const override { return inner_->kernels(); }

 private:
  std::unique_ptr<Engine> inner_;
  AlignedVector<float> flat_, gradient_;
};

StepResult CanonicalEngine::step(const Batch& batch, std::span<const float> parameters,
                                 std::span<float> gradient, const Poll& poll) {
  check_size("gradient", gradient.size(), flat_size());
  inner_->import_flat(parameters, flat_);
  const Poll early = [&](std::size_t) { poll(flat_size()); };
  const auto result = inner_->step(batch, flat_, gradient_, poll ? early : Poll{});
  inner_->export_flat(gradient_, gradient);
  if (poll) poll(0);
  return result;
}

std::vector<FlatRange> CanonicalEngine::moments() const {
  std::vector<FlatRange> ranges;
  for (const auto& array : parameters(network())) {
    if (array.moment) ranges.push_back({array.offset, array.size});
  }
  return ranges;
}

std::unique_ptr<ResidentTraining> CanonicalEngine::make_resident(const OptimizerOptions& options,
                                                                 const Scene& scene) {
  auto inner = inner_->make_resident(options, scene);
  if (inner == nullptr) return nullptr;
  return std::make_unique<CanonicalTraining>(*inner_, std::move(inner), options);
}

}  // namespace

std::unique_ptr<Engine> in_canonical_order(std::unique_ptr<Engine> engine) {
  return std::make_unique<CanonicalEngine>(std::move(engine));
}

std::uint64_t order_checksum(const Engine& engine) {
  constexpr std::size_t kExact = std::size_t{1} << 24;  // whole numbers that a float tells apart
  std::vector<float> numbers(parameter_count(engine.network()));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<float>(1 + k % kExact);
  std::vector<float> flat(engine.flat_size());
  engine.import_flat(numbers, flat);
  Checksum sum;
  sum.add(std::as_bytes(std::span(flat)));
  return sum.value();
}

}  // namespace oida
