#include "oida/mean_rule.hpp"

namespace oida {

MeanRule::MeanRule(Unit& unit, Comm& comm, const RuleOptions& options)
    : unit_(unit), mean_(unit, comm, options) {}

ControlWords MeanRule::adopt_mean(const ControlWords& words, ParameterMean::Precision precision) {
  mean_.start(words, precision);
  const auto sums = mean_.finish();
  mean_.adopt();
  return sums;
}

ControlWords MeanRule::final_mean(const ControlWords& words) {
  return adopt_mean(words, ParameterMean::Precision::exact);
}

}  // namespace oida
