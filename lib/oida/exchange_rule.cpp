#include "oida/exchange_rule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "oida/delayed_mean.hpp"
#include "oida/gradient_mean.hpp"
#include "oida/local_mean.hpp"
#include "oida/parameter_server.hpp"

namespace oida {

ExchangeKind exchange_kind(const std::string& name) {
  if (name == "oida") return ExchangeKind::oida;
  if (name == "allreduce") return ExchangeKind::allreduce;
  if (name == "local") return ExchangeKind::local;
  if (name == "server") return ExchangeKind::server;
  if (name == "none") return ExchangeKind::none;
  throw InputError("oida.exchange",
                   "'" + name + "' is not one of oida, allreduce, local, server, none");
}

std::string to_string(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::oida:
      return "oida";
    case ExchangeKind::allreduce:
      return "allreduce";
    case ExchangeKind::local:
      return "local";
    case ExchangeKind::server:
      return "server";
    case ExchangeKind::none:
      return "none";
  }
  throw Error("oida.exchange", "unknown kind");
}

void put(const ControlWords& words, std::span<float> into) {
  const auto floats = std::bit_cast<std::array<float, kControlWords>>(words);
  std::copy(floats.begin(), floats.end(), into.begin());
}

ControlWords take_words(std::span<const float> from) {
  std::array<float, kControlWords> floats{};
  std::copy_n(from.begin(), kControlWords, floats.begin());
  return std::bit_cast<ControlWords>(floats);
}

namespace {

/// One unit: plain optimizer steps, nothing travels.
class Alone final : public ExchangeRule {
 public:
  explicit Alone(Unit& unit) : unit_(unit) {}

  void begin(const ControlWords& words) override { words_ = words; }
  StepResult step(std::uint64_t step, float rate) override {
    const auto result = unit_.train(step, rate, [](std::size_t) {});
    loss_ = result.loss;
    return result;
  }
  ControlWords end() override { return words_; }
  ControlWords final_mean(const ControlWords& words) override { return words; }
  std::span<const float> agreed() const override { return unit_.x(); }
  /// A loss shows what parameters are that are away.
  bool agreed_is_finite() const override {
    if (unit_.is_away()) return std::isfinite(loss_);
    float sum = 0;
    for (const float value : unit_.x()) sum += value * 0.0F;
    return sum == 0.0F;
  }
  std::span<const Flight> flights() const override { return {}; }
  std::int64_t bytes_per_exchange() const override { return 0; }

 private:
  Unit& unit_;
  ControlWords words_;
  double loss_ = 0;
};

}  // namespace

std::unique_ptr<ExchangeRule> make_rule(const RuleOptions& options, Unit& unit, Comm& comm) {
  if (comm.size() == 1) return std::make_unique<Alone>(unit);
  switch (options.exchange) {
    case ExchangeKind::oida:
      return std::make_unique<DelayedMean>(unit, comm, options);
    case ExchangeKind::allreduce:
      return std::make_unique<GradientMean>(unit, comm, options);
    case ExchangeKind::local:
      return std::make_unique<LocalMean>(unit, comm, options);
    case ExchangeKind::server:
      return std::make_unique<ParameterServer>(unit, comm, options);
    case ExchangeKind::none:
      break;
  }
  throw Error("oida.exchange", to_string(options.exchange) + " is for one unit");
}

}  // namespace oida
