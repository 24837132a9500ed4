#pragma once
// run.json, timing.json and trace.json: what a run says about itself.

#include <nlohmann/json_fwd.hpp>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "deck.hpp"
#include "io/run/run_directory.hpp"
#include "oida/trainer.hpp"
#include "training_plan.hpp"

namespace oida::app {

/// run.json of a run that begins, for the `restarts`-th time again.
nlohmann::ordered_json run_record(const Comm& comm, const Deck& deck, const Dataset& data,
                                  const TrainingPlan& plan, const Engine& engine,
                                  const ComputePlace& place, std::int64_t restarts);

/// Collective; the result is complete on rank 0.
Timing gather_timing(Comm& comm, const Trainer& trainer, const std::string& device,
                     double startup_s, const SceneReading& reading, int pixels_per_sample);

/// Collective; `events` of every rank, in rank order, on rank 0.
std::vector<std::vector<TraceEvent>> gather_trace(Comm& comm,
                                                  const std::vector<TraceEvent>& events);

}  // namespace oida::app
