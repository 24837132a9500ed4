#include "oida/local_mean.hpp"

namespace oida {

StepResult LocalMean::step(std::uint64_t step, float rate) {
  return unit_.train(step, rate, [](std::size_t) {});
}

ControlWords LocalMean::mean(const ControlWords& words, ParameterMean::Precision precision) {
  mean_.start(words, precision);
  const auto sums = mean_.finish();
  mean_.adopt();
  return sums;
}

}  // namespace oida
