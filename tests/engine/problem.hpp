#pragma once
// Networks, parameters and batches that the suite runs every engine on.

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/reference/reference_network.hpp"
#include "engine_kinds.hpp"

namespace oida::test {

/// Sizes divide by nothing: 7 x 9 px, 9 channels, 5 classes, 3 samples in a batch of 4.
struct Case {
  std::string name;
  std::vector<std::string> lines;
  std::vector<float> class_weights = {};
  bool unlabelled = false;  // sample 1 has label -1
  Shape input = {9, 7, 9};
  int classes = 5;
  int capacity = 4;
  int n = 3;
  Output output = Output::classes;
  float label_smoothing = 0.0F;
};

/// Every layer kind, alone and together.
const std::vector<Case>& cases();
/// The one of that name.
const Case& case_of(const std::string& name);

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// A case with values that keep clear of ties: no relu's input, no modulus of a mod_relu and no two
/// candidates of a max-pool window are nearer to each other than kMargin, so that rounding flips no
/// decision.
struct Problem {
  static constexpr double kMargin = 5e-5;

  Case of;
  Network network;
  std::uint64_t seed = 0;
  std::vector<float> parameters;  // canonical, biases not zero
};

/// Takes the first seed that keeps clear of ties.
Problem make_problem(const Case& of);

/// Pixels, labels and the names of random numbers, equal for every channel stride.
void fill(const Problem& problem, Batch& batch);

std::unique_ptr<Engine> engine_for(const Problem& problem, const EngineKind& kind);

/// What one step of an engine gives, in canonical order.
struct Outcome {
  StepResult result;
  std::vector<float> gradient;
};
Outcome step_of(Engine& engine, const Problem& problem);

/// The same by the reference network in double.
struct Expected {
  StepResult result;
  std::vector<double> gradient;
  std::vector<double> probabilities;  // dropout off, running moments
};
Network network_of(const Case& of);
ReferenceNetwork reference_of(const Problem& problem);
Expected expected_of(const Problem& problem);

std::vector<double> doubled(std::span<const float> values);

/// |a - b| / |b| in the Euclidean norm.
double distance(std::span<const float> a, std::span<const double> b);

}  // namespace oida::test
