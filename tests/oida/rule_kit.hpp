#pragma once
// One unit a rank with an exchange rule of its own, and what it is compared with.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_world.hpp"
#include "oida/exchange_rule.hpp"
#include "oida/simulator.hpp"

namespace oida::test {

using oida::testing::world;

inline constexpr int kBatch = 12;
inline constexpr float kRate = 0.02F;

inline RuleOptions rule_options(ExchangeKind exchange = ExchangeKind::oida) {
  RuleOptions options;
  options.exchange = exchange;
  options.share = 1.0F / static_cast<float>(world().size());
  return options;
}

inline Simulation simulation(int interleave) {
  Simulation options;
  options.units = world().size();
  options.batch = kBatch;
  options.rate = kRate;
  options.interleave = interleave;
  return options;
}

/// This rank's unit with a rule of its own.
class RuleKit {
 public:
  RuleKit(const Problem& problem, const RuleOptions& options,
          const std::string& engine = "reference")
      : kit_(problem, world().size(), world().rank(), kBatch, 7, engine),
        scorer_(kit_.engine(), problem.store, problem.validation) {
    RuleOptions with_scorer = options;
    with_scorer.scorer = &scorer_;
    rule_ = make_rule(with_scorer, kit_.unit(), world());
    rule_->restart();
  }

  /// Rounds of `interleave` steps; every `settle_every`-th merge is not left to the next round.
  void train(int rounds, int interleave, int settle_every = 0) {
    for (int round = 1; round <= rounds; ++round) {
      rule_->begin({});
      for (int k = 0; k < interleave; ++k) rule_->step(step_++, kRate);
      rule_->end();
      if (settle_every > 0 && round % settle_every == 0) rule_->settle();
    }
    rule_->settle();
  }

  ExchangeRule& rule() { return *rule_; }
  /// In canonical order.
  std::vector<float> canonical(std::span<const float> flat) {
    std::vector<float> values(parameter_count(kit_.engine().network()));
    kit_.engine().export_flat(flat, values);
    return values;
  }
  std::span<float> x() { return kit_.unit().x(); }

 private:
  UnitKit kit_;
  Scorer scorer_;
  std::unique_ptr<ExchangeRule> rule_;
  std::uint64_t step_ = 0;
};

inline const std::vector<float>& own(const Arrays& arrays) {
  return arrays[static_cast<std::size_t>(world().rank())];
}

inline void expect_close(std::span<const float> found, const std::vector<float>& expected) {
  EXPECT_LT(distance(found, expected), 1e-5 * magnitude(expected));
}

}  // namespace oida::test
