#pragma once
// From a network to the chain of stages that computes it.

#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "engine/onednn/library.hpp"
#include "engine/onednn/stage.hpp"

namespace oida::onednn {

struct Plan {
  std::vector<std::unique_ptr<Stage>> stages;
  std::size_t flat_size = 0;
};

/// `input` is what the first stage reads; it must outlive the plan. Outputs are not allocated yet.
Plan make_plan(Library& library, const Network& network, const EngineOptions& options,
               const Tensor& input);

}  // namespace oida::onednn
