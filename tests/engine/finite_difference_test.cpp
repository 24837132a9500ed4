// The reference's gradients against central differences of its loss, all in double.

#include <algorithm>
#include <cmath>
#include <iterator>

#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "problem.hpp"

namespace oida::test {
namespace {

constexpr double kStep = 1e-6;  // moves no relu's input as far as Problem::kMargin
constexpr std::size_t kElements = 40;

class FiniteDifferences : public testing::TestWithParam<Case> {};

/// At most kElements of 0 .. size - 1.
std::vector<std::uint32_t> chosen(std::size_t size) {
  auto order = permutation(size, Random(5, Purpose::test));
  order.resize(std::min(size, kElements));
  return order;
}

TEST_P(FiniteDifferences, AgreeWithTheGradientOfEveryArray) {
  const Problem problem = make_problem(GetParam());
  Batch batch(problem.of.capacity, problem.of.input.h, problem.of.input.w, problem.of.input.c,
              problem.of.input.c, label_count(problem.network));
  fill(problem, batch);
  ReferenceNetwork network = reference_of(problem);
  auto parameters = doubled(problem.parameters);
  std::vector<double> gradient(parameters.size());
  network.step(batch, parameters, gradient);

  const auto loss_at = [&](std::size_t k, double moved) {
    const double kept = parameters[k];
    parameters[k] += moved;
    network.forward(batch, parameters, true);
    parameters[k] = kept;
    return network.loss().loss;
  };
  for (const auto& array : oida::parameters(problem.network)) {
    if (array.moment) continue;  // not learned: see Engine::moments()
    double apart = 0.0;
    double norm = 0.0;
    for (const auto element : chosen(array.size)) {
      const std::size_t k = array.offset + element;
      const double slope = (loss_at(k, kStep) - loss_at(k, -kStep)) / (2.0 * kStep);
      apart += (slope - gradient[k]) * (slope - gradient[k]);
      norm += gradient[k] * gradient[k];
    }
    EXPECT_GT(norm, 0.0) << array.name;
    EXPECT_LT(std::sqrt(apart / norm), 1e-6) << array.name;
  }
}

/// The large networks are made of the layers of the small ones.
std::vector<Case> small_cases() {
  std::vector<Case> small;
  std::ranges::copy_if(cases(), std::back_inserter(small),
                       [](const Case& of) { return parameter_count(network_of(of)) < 10000; });
  return small;
}

INSTANTIATE_TEST_SUITE_P(Reference, FiniteDifferences, testing::ValuesIn(small_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace oida::test
