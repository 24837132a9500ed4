#pragma once
// A small, separable problem that every rule of exchange can be tried on.

#include <memory>
#include <string>
#include <vector>

#include "data/patch_store.hpp"
#include "data/sampler.hpp"
#include "data/shards.hpp"
#include "engine/engine.hpp"
#include "oida/unit.hpp"

namespace oida::test {

/// A scene of 40 x 40 pixels of three features whose means depend on the class, in one block, with
/// 400 samples of 3 classes; patches of 5 x 5.
struct Problem {
  Problem();
  PatchStore store;
  std::vector<Sample> training, validation;
};

/// No decision in it (no relu, no max-pool): rounding cannot flip anything.
Network smooth_network();

/// The engine of a unit: "reference", or another kind of make_engine, or "card", the cuda engine on
/// a card that computes on the host, or "mixed": by turns those two, in canonical order.
std::unique_ptr<Engine> make_unit_engine(const std::string& kind, int unit, int batch);

/// One computing unit with everything that it needs.
class UnitKit {
 public:
  UnitKit(const Problem& problem, int units, int unit, int batch, std::uint64_t seed = 7,
          const std::string& engine = "reference");

  Engine& engine() { return *engine_; }
  Unit& unit() { return *unit_; }
  Sampler& sampler() { return *sampler_; }
  const std::vector<Sample>& shard() const { return shard_; }

 private:
  std::vector<Sample> shard_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Unit> unit_;
};

/// Largest absolute difference.
double distance(std::span<const float> a, std::span<const float> b);
/// Largest absolute value.
double magnitude(std::span<const float> a);

}  // namespace oida::test
