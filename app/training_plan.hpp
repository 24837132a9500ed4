#pragma once
// What a run is going to do, before it does it: batches, steps, shards, memory.

#include <cstdint>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "dataset.hpp"
#include "deck.hpp"
#include "nn/optimizer.hpp"
#include "oida/interleave.hpp"
#include "oida/trainer.hpp"
#include "placement.hpp"
#include "polsar/matrix_jitter.hpp"

namespace oida::app {

struct TrainingPlan {
  std::vector<std::int64_t> batches;  // by unit
  int batch = 0;                      // of this unit
  std::int64_t global_batch = 0;      // of all units
  std::int64_t steps_per_epoch = 0;
  std::int64_t total_steps = 0;
  Interleave interleave = Interleave::fixed(1);
  std::vector<MemoryItem> memory;  // of this rank, largest first

  std::int64_t memory_bytes() const;
  std::int64_t gpu_bytes() const;
};

/// Steps and interleave of these batches by unit; InputError naming oida.exchange, oida.interleave
/// or oida.merge.
TrainingPlan make_plan(const Comm& comm, const Deck& deck, const Dataset& data,
                       const std::vector<std::int64_t>& batches);
/// train.class_weights for the engine's options; empty = none.
std::vector<float> class_weights(const Deck& deck, const Dataset& data);
/// Adds what an engine and the loop will hold; InputError above device.memory_limit_mb.
void plan_memory(TrainingPlan& plan, const Deck& deck, const Dataset& data, const Engine& engine);

/// InputError naming the key of [model], or data.tile_px where only the tile's size is wrong.
Network make_network(const Deck& deck, const Dataset& data);
OptimizerOptions optimizer_options(const Deck& deck);
JitterOptions jitter_options(const Deck& deck);
GuardOptions guard_options(const Deck& deck, const TrainingPlan& plan);
TrainerOptions trainer_options(const Deck& deck, const TrainingPlan& plan);
/// fixed, auto, or replayed from the "interleave_plan" and, under wire = auto, the "wire_plan" of a
/// run.json; 1 and fp32 where nothing is delayed.
Interleave make_interleave(const Comm& comm, const Deck& deck);

/// Lines "key=value" that a checkpoint must share with a run that goes on from it.
std::string identity(const Deck& deck, const Dataset& data);

/// The plan in words, for --check and the log.
std::string describe(const Comm& comm, const TrainingPlan& plan, const Dataset& data,
                     const Network& network, const ComputePlace& place);

}  // namespace oida::app
