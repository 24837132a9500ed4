#include "oida/simulator.hpp"

#include <memory>

namespace oida::test {

namespace {

/// A unit written out: parameters, momentum, its own engine and batches.
struct VirtualUnit {
  VirtualUnit(const Problem& problem, int units, int unit, int batch)
      : kit(problem, units, unit, batch),
        x(kit.unit().x().begin(), kit.unit().x().end()),
        velocity(x.size()),
        gradient(x.size()),
        input(make_batch(kit.engine())) {
    input.n = batch;
  }

  void compute_gradient(const Problem& problem, std::uint64_t step) {
    kit.sampler().fill(step, problem.store, input);
    kit.engine().step(input, x, gradient, [](std::size_t) {});
  }

  void descend(const std::vector<float>& along, float rate) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      velocity[i] = 0.9F * velocity[i] + along[i];
      x[i] -= rate * velocity[i];
    }
  }

  UnitKit kit;
  std::vector<float> x, velocity, gradient;
  Batch input;
};

std::vector<std::unique_ptr<VirtualUnit>> make_units(const Problem& problem, int units, int batch) {
  std::vector<std::unique_ptr<VirtualUnit>> all;
  for (int unit = 0; unit < units; ++unit) {
    all.push_back(std::make_unique<VirtualUnit>(problem, units, unit, batch));
  }
  return all;
}

std::vector<float> mean_of(const std::vector<std::vector<float>>& arrays) {
  std::vector<float> mean(arrays.front().size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    double sum = 0;
    for (const auto& array : arrays) sum += static_cast<double>(array[i]);
    mean[i] = static_cast<float>(sum / static_cast<double>(arrays.size()));
  }
  return mean;
}

}  // namespace

std::vector<std::vector<float>> simulate_delayed_mean(const Problem& problem, int units, int batch,
                                                      int rounds, int interleave, float rate) {
  auto all = make_units(problem, units, batch);
  std::uint64_t step = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::vector<float>> sent;
    for (const auto& unit : all) sent.push_back(unit->x);
    for (int k = 0; k < interleave; ++k, ++step) {
      for (const auto& unit : all) {
        unit->compute_gradient(problem, step);
        unit->descend(unit->gradient, rate);
      }
    }
    const auto mean = mean_of(sent);
    for (std::size_t u = 0; u < all.size(); ++u) {
      for (std::size_t i = 0; i < mean.size(); ++i) all[u]->x[i] += mean[i] - sent[u][i];
    }
  }
  std::vector<std::vector<float>> result;
  for (const auto& unit : all) result.push_back(unit->x);
  return result;
}

std::vector<float> simulate_gradient_mean(const Problem& problem, int units, int batch, int steps,
                                          float rate) {
  auto all = make_units(problem, units, batch);
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<float>> gradients;
    for (const auto& unit : all) {
      unit->compute_gradient(problem, static_cast<std::uint64_t>(step));
      gradients.push_back(unit->gradient);
    }
    const auto mean = mean_of(gradients);
    for (const auto& unit : all) unit->descend(mean, rate);
  }
  return all.front()->x;
}

}  // namespace oida::test
