#pragma once
// A compiled network: forward, backward and loss over flat parameter arrays in the engine's order.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/batch.hpp"
#include "nn/network.hpp"
#include "nn/optimizer.hpp"

namespace oida {

struct EngineOptions {
  std::string kind = "onednn";     // reference | onednn | cuda
  std::string precision = "fp32";  // fp32 | bf16; cuda also tf32
  int threads = 1;
  int max_batch = 64;
  /// Weight of a sample's loss by its class; empty = 1.
  std::vector<float> class_weights;
  /// Share of every label that is spread over all classes (Szegedy et al., CVPR 2016); [0, 1).
  float label_smoothing = 0.0F;
  /// Which kernel runs where: {} or {"table"}, a fixed choice; {"measure"}, the fastest here and
  /// now; else the lines of kernels() of an engine whose choices are replayed.
  std::vector<std::string> kernels;
  int device = 0;                      // cuda: as in gpu_devices()
  std::size_t memory_limit_bytes = 0;  // cuda: of the GPU's memory; 0 = none
};

/// Called between layers: the place for the exchange to make progress. Elements of the gradient
/// from `ready_from` to the end are final; in the forward pass it is the array's size.
using Poll = std::function<void(std::size_t ready_from)>;

/// loss: mean over the batch of weight[label] * cross-entropy, samples with label -1 counted as 0;
/// dense output: mean over the labelled pixels.
struct StepResult {
  double loss = 0;
  int correct = 0;
};

/// Elements [first, first + size) of a flat array.
struct FlatRange {
  std::size_t first = 0;
  std::size_t size = 0;
};

struct MemoryItem {
  std::string what;
  std::size_t bytes = 0;
  bool on_gpu = false;  // in a GPU's memory, not the host's
};

/// Asked for once while a step computes: the batch of the next one, to travel meanwhile, or null.
using Ahead = std::function<const Batch*()>;

/// Training whose parameters stay where the engine computes: they travel when they are asked for,
/// not with every step. Arrays are in flat order; the engine's step() and predict() do not disturb
/// it.
class ResidentTraining {
 public:
  virtual ~ResidentTraining() = default;

  /// Takes parameters and the state of `optimizer` over.
  virtual void put(std::span<const float> parameters, Optimizer& optimizer) = 0;
  /// Whether it keeps the scene too and cuts patches itself: batches name theirs then.
  virtual bool holds_scene() const = 0;
  /// Engine::step() and Optimizer::update() in one; no gradient is handed out. A batch that `ahead`
  /// gave is the next step's, unchanged. Either function may be empty.
  virtual StepResult step(const Batch& batch, float rate, std::uint64_t step, const Poll& poll,
                          const Ahead& ahead) = 0;

  /// The exchange's merge where the parameters are: s <- x, and weight x begins to travel home.
  virtual void send(float weight) = 0;
  /// True once it has come, and stands in `out`.
  virtual bool sent(std::span<float> out) = 0;
  /// x <- x + (mean - s)
  virtual void merge(std::span<const float> mean) = 0;
  /// Gives back what put() took, moved on by the steps.
  virtual void get(std::span<float> parameters, Optimizer& optimizer) = 0;
};

/// Not thread-safe, but for import_flat() and export_flat(), which a second thread may call while
/// the engine computes. After construction nothing is allocated by step() and predict().
/// Flat arrays have flat_size() floats, 64-byte aligned; elements that are padding of a blocked
/// layout stay zero in parameters and gradients, so any elementwise arithmetic on them is right.
/// Errors: Error when a library call fails; InputError from make_engine for what cannot be built.
class Engine {
 public:
  virtual ~Engine() = default;

  const Network& network() const { return network_; }
  const EngineOptions& options() const { return options_; }

  /// Floats a pixel in Batch::input.
  virtual int channel_stride() const = 0;
  virtual std::size_t flat_size() const = 0;
  /// Between canonical order (nn/network.hpp) and the engine's own.
  virtual void import_flat(std::span<const float> canonical, std::span<float> flat) const = 0;
  virtual void export_flat(std::span<const float> flat, std::span<float> canonical) const = 0;

  /// Gradient of the batch's loss; all of `gradient` is written. relu's derivative at 0 is 0, a tie
  /// in a max-pool window goes to the first in row order, dropout masks are those of
  /// engine/dropout.hpp. `poll` may be empty.
  virtual StepResult step(const Batch& batch, std::span<const float> parameters,
                          std::span<float> gradient, const Poll& poll) = 0;
  /// Running moments of batch_norm (mean and variance of each channel over the batch): parameters
  /// that no optimizer may touch. step() leaves what they lie above the batch's own moments in
  /// `gradient`; whoever updates takes kMomentShare of it (engine/norm.hpp) off them. A batch is
  /// normalised by its unit's own moments; the running ones travel with the other parameters and
  /// are averaged like them.
  virtual std::vector<FlatRange> moments() const { return {}; }
  /// Class probabilities [batch.n, classes], dense: [batch.n, h, w, classes]; dropout is off. Does
  /// not disturb a later step().
  virtual void predict(const Batch& batch, std::span<const float> parameters,
                       std::span<float> probabilities) = 0;

  /// Null where parameters lie at hand anyway. The engine outlives it; the scene, which may be
  /// empty, is copied where it fits.
  virtual std::unique_ptr<ResidentTraining> make_resident(const OptimizerOptions&, const Scene&) {
    return nullptr;
  }
  /// Whether it fits beside training where the engine computes.
  virtual bool has_room_for_scene(std::size_t /*bytes*/) const { return false; }

  /// Arrays that the engine holds (activations, scratch), for the memory plan.
  virtual std::vector<MemoryItem> memory() const = 0;
  /// Which kernel runs where, one line a layer and direction; stored in run.json.
  virtual std::vector<std::string> kernels() const = 0;

 protected:
  Engine(Network network, EngineOptions options)
      : network_(std::move(network)), options_(std::move(options)) {}

 private:
  Network network_;
  EngineOptions options_;
};

/// A batch of the right form for an engine.
Batch make_batch(const Engine& engine);

std::unique_ptr<Engine> make_engine(const Network& network, const EngineOptions& options);

/// GPUs that this process sees; empty without a driver, a device or the CUDA room.
struct Device {
  int ordinal = 0;
  std::string name;
  std::string uuid;
  std::size_t memory_bytes = 0;
};
std::vector<Device> gpu_devices();
/// The one that rank `node_rank` of its node computes on: in turn, so that it is right whether a
/// rank sees all GPUs of its node or only its own. @pre some are visible.
const Device& gpu_of(const std::vector<Device>& visible, int node_rank);
/// "13.0", or "not built".
std::string cuda_version();
std::string onednn_version();

}  // namespace oida
