#include "oida/local_mean.hpp"

namespace oida {

StepResult LocalMean::step(std::uint64_t step, float rate) {
  return unit_.train(step, rate, [](std::size_t) {});
}

}  // namespace oida
