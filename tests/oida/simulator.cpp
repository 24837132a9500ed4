#include "oida/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "oida/exchange_rule.hpp"
#include "oida/wire_simulation.hpp"

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

std::vector<std::unique_ptr<VirtualUnit>> make_units(const Problem& problem,
                                                     const Simulation& options) {
  std::vector<std::unique_ptr<VirtualUnit>> all;
  for (int unit = 0; unit < options.units; ++unit) {
    all.push_back(std::make_unique<VirtualUnit>(problem, options.units, unit, options.batch));
  }
  return all;
}

std::vector<double> equal_weights(std::size_t units) {
  return std::vector<double>(units, 1.0 / static_cast<double>(units));
}

std::vector<float> mean_of(const Arrays& arrays, const std::vector<double>& weights) {
  std::vector<float> mean(arrays.front().size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    double sum = 0;
    for (std::size_t u = 0; u < arrays.size(); ++u) {
      sum += weights[u] * static_cast<double>(arrays[u][i]);
    }
    mean[i] = static_cast<float>(sum);
  }
  return mean;
}

/// What travels of each unit.
Arrays states(const std::vector<std::unique_ptr<VirtualUnit>>& all, const Simulation& options) {
  Arrays arrays;
  for (const auto& unit : all) {
    auto& state = arrays.emplace_back(unit->x);
    if (!options.momentum) continue;
    state.insert(state.end(), unit->velocity.begin(), unit->velocity.end());
  }
  return arrays;
}

Arrays weighed(Arrays arrays, const std::vector<double>& weights) {
  for (std::size_t u = 0; u < arrays.size(); ++u) {
    for (float& value : arrays[u]) value *= static_cast<float>(weights[u]);
  }
  return arrays;
}

/// The mean of states; on a lossy wire what all know already does not travel.
class Averager {
 public:
  Averager(const std::vector<std::unique_ptr<VirtualUnit>>& all, const Simulation& options)
      : lossy_(options.wire != Wire::fp32 && all.size() > 1),
        known_(states(all, options).front()),
        wire_(all.size(), known_.size(), known_.size() + kControlWords + all.size(), options.wire) {
  }

  std::vector<float> mean(Arrays sent, const std::vector<double>& weights) {
    if (!lossy_) return mean_of(sent, weights);
    for (auto& state : sent) {
      for (std::size_t i = 0; i < state.size(); ++i) state[i] -= known_[i];
    }
    const auto sum = wire_.sum(weighed(std::move(sent), weights));
    for (std::size_t i = 0; i < sum.size(); ++i) known_[i] += sum[i];
    return known_;
  }

 private:
  bool lossy_;
  std::vector<float> known_;  // the last mean
  WireSimulation wire_;
};

/// Mean cross-entropy of parameters on all validation samples, one sample at a time.
double validation_loss(VirtualUnit& unit, const Problem& problem, const std::vector<float>& x) {
  Batch one = make_batch(unit.kit.engine());
  std::vector<float> probabilities(
      static_cast<std::size_t>(unit.kit.engine().options().max_batch * 3));
  double sum = 0;
  for (const Sample& sample : problem.validation) {
    fill_evaluation(std::span(&sample, 1), 0, problem.store, one);
    unit.kit.engine().predict(one, x, std::span(probabilities).first(3));
    sum -= std::log(static_cast<double>(probabilities[sample.label]));
  }
  return sum / static_cast<double>(problem.validation.size());
}

}  // namespace

std::vector<double> softmax_of_negative(const std::vector<double>& losses) {
  std::vector<double> weights;
  double sum = 0;
  for (const double loss : losses) sum += std::exp(-loss);
  for (const double loss : losses) weights.push_back(std::exp(-loss) / sum);
  return weights;
}

std::vector<double> lowest_alone(const std::vector<double>& losses) {
  std::vector<double> weights(losses.size(), 0.0);
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  weights[static_cast<std::size_t>(best)] = 1;
  return weights;
}

Arrays simulate_delayed_mean(const Problem& problem, const Simulation& options,
                             const Weigh& weigh) {
  auto all = make_units(problem, options);
  Averager averager(all, options);
  std::vector<double> weights = equal_weights(all.size());
  std::uint64_t step = 0;
  for (int round = 0; round < options.rounds; ++round) {
    const Arrays sent = states(all, options);
    for (int k = 0; k < options.interleave; ++k, ++step) {
      for (const auto& unit : all) {
        unit->compute_gradient(problem, step);
        unit->descend(unit->gradient, options.rate);
      }
    }
    const auto mean = averager.mean(sent, weights);
    const float kept = std::pow(0.9F, static_cast<float>(options.interleave));
    for (std::size_t u = 0; u < all.size(); ++u) {
      const std::size_t size = all[u]->x.size();
      for (std::size_t i = 0; i < size; ++i) all[u]->x[i] += mean[i] - sent[u][i];
      for (std::size_t i = size; i < mean.size(); ++i) {
        all[u]->velocity[i - size] += kept * (mean[i] - sent[u][i]);
      }
    }
    if (!weigh) continue;
    std::vector<double> losses;
    for (std::size_t u = 0; u < all.size(); ++u) {
      losses.push_back(validation_loss(*all[u], problem, sent[u]));
    }
    weights = weigh(losses);
  }
  Arrays result;
  for (const auto& unit : all) result.push_back(unit->x);
  return result;
}

std::vector<float> simulate_gradient_mean(const Problem& problem, const Simulation& options) {
  auto all = make_units(problem, options);
  const std::size_t size = all.front()->x.size();
  WireSimulation wire(all.size(), size, size + kControlWords, options.wire);
  for (int step = 0; step < options.rounds; ++step) {
    Arrays gradients;
    for (const auto& unit : all) {
      unit->compute_gradient(problem, static_cast<std::uint64_t>(step));
      gradients.push_back(unit->gradient);
    }
    const auto mean = options.wire == Wire::fp32
                          ? mean_of(gradients, equal_weights(all.size()))
                          : wire.sum(weighed(gradients, equal_weights(all.size())));
    for (const auto& unit : all) unit->descend(mean, options.rate);
  }
  return all.front()->x;
}

std::vector<float> simulate_local_mean(const Problem& problem, const Simulation& options) {
  auto all = make_units(problem, options);
  Averager averager(all, options);
  std::uint64_t step = 0;
  for (int round = 0; round < options.rounds; ++round) {
    for (int k = 0; k < options.interleave; ++k, ++step) {
      for (const auto& unit : all) {
        unit->compute_gradient(problem, step);
        unit->descend(unit->gradient, options.rate);
      }
    }
    const auto mean = averager.mean(states(all, options), equal_weights(all.size()));
    for (const auto& unit : all) {
      const auto end_of_x = mean.begin() + static_cast<std::ptrdiff_t>(unit->x.size());
      unit->x.assign(mean.begin(), end_of_x);
      if (options.momentum) unit->velocity.assign(end_of_x, mean.end());
    }
  }
  return all.front()->x;
}

ServerRun simulate_server(const Problem& problem, const Simulation& options,
                          const std::vector<int>& arrivals, int bound, int settle_every) {
  auto all = make_units(problem, options);
  VirtualUnit server(problem, options.units, 0, options.batch);
  std::vector<std::uint64_t> brought(all.size(), 0);
  std::vector<bool> waits(all.size(), false);
  ServerRun run;
  std::uint64_t in_all = 0;
  for (const int arrival : arrivals) {
    const auto u = static_cast<std::size_t>(arrival);
    run.in_turn = run.in_turn && !waits[u];
    all[u]->compute_gradient(problem, brought[u]++);
    server.descend(all[u]->gradient, options.rate / static_cast<float>(options.units));
    waits[u] = true;
    const std::uint64_t slowest = *std::min_element(brought.begin(), brought.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto ahead = static_cast<std::int64_t>(brought[i] - slowest);
      if (!waits[i] || ahead > bound) continue;
      run.furthest = std::max(run.furthest, ahead);
      waits[i] = false;
      all[i]->x = server.x;
    }
    const auto period = all.size() * static_cast<std::size_t>(settle_every);
    if (period == 0 || ++in_all % period != 0) continue;
    for (const auto& unit : all) unit->x = server.x;
  }
  run.parameters = server.x;
  return run;
}

}  // namespace oida::test
