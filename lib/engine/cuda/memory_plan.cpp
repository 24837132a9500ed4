#include "engine/cuda/memory_plan.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "engine/cuda/chain.hpp"
#include "engine/cuda/ledger.hpp"
#include "engine/device_sum.hpp"

namespace oida::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{512} << 20;
constexpr std::size_t kShareOfLimit = 8;
constexpr std::size_t kTravellingBatches = 2;
constexpr std::size_t kTrainingArrays = 5;  // CardTraining's: two of an optimizer at most

/// Takes a network's wishes down and does nothing.
class CountingCard {
 public:
  template <typename T>
  T* allocate(std::size_t count, const std::string& what) {
    ledger_.add(what, count, sizeof(T));
    return nullptr;
  }
  void upload(void*, const void*, std::size_t) {}
  template <typename Kernel>
  void run(Index, const Kernel&) {}
  int add_conv(const Conv&) { return 0; }
  void conv_forward(int, const void*, const void*, void*) {}
  void conv_backward_data(int, const void*, const void*, void*) {}
  void conv_backward_weight(int, const void*, const void*, void*) {}
  std::vector<std::string> conv_lines(int) const { return {}; }
  int add_average_pool(const Pool&, int, Element) { return 0; }
  void average_pool_forward(int, const void*, void*) {}
  void average_pool_backward(int, const void*, const void*, const void*, void*) {}
  void multiply(const Product&) {}
  std::size_t bytes() const { return ledger_.bytes(); }

 private:
  Ledger ledger_;
};

template <typename T>
std::size_t array_bytes(const Network& network, const EngineOptions& options) {
  CountingCard card;
  const Chain<CountingCard, T> chain(card, network, options);
  return card.bytes();
}

/// Without what batches travel through.
std::size_t training_bytes(const Network& network, const EngineOptions& options) {
  const std::size_t arrays = arithmetic(options.precision) == Arithmetic::bf16
                                 ? array_bytes<Bf16>(network, options)
                                 : array_bytes<float>(network, options);
  const std::size_t training =
      (kTrainingArrays * FlatLayout(network).size() + kRidingWords) * sizeof(float);
  return arrays + training + workspace_limit_bytes(options.memory_limit_bytes);
}

/// 0 where not even one sample fits.
int largest_batch(const Network& network, EngineOptions options) {
  int fits = 0;
  int too_many = options.max_batch;
  while (too_many - fits > 1) {
    options.max_batch = fits + (too_many - fits) / 2;
    const bool small = planned_bytes(network, options) <= options.memory_limit_bytes;
    (small ? fits : too_many) = options.max_batch;
  }
  return fits;
}

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

}  // namespace

std::size_t workspace_limit_bytes(std::size_t memory_limit_bytes) {
  return memory_limit_bytes == 0 ? kWorkspaceBytes
                                 : std::min(kWorkspaceBytes, memory_limit_bytes / kShareOfLimit);
}

std::size_t planned_bytes(const Network& network, const EngineOptions& options) {
  const std::size_t batch =
      static_cast<std::size_t>(options.max_batch) * images(network).front().size() * sizeof(float);
  return training_bytes(network, options) + kTravellingBatches * batch;
}

bool scene_fits(const Network& network, const EngineOptions& options, std::size_t scene_bytes,
                std::size_t room_bytes) {
  const std::size_t places = static_cast<std::size_t>(options.max_batch) * sizeof(PatchPlace);
  const std::size_t signs = static_cast<std::size_t>(network.input.c) * sizeof(float);
  return training_bytes(network, options) + places + signs + scene_bytes <= room_bytes;
}

void check_memory(const Network& network, const EngineOptions& options) {
  const std::size_t needed = planned_bytes(network, options);
  if (options.memory_limit_bytes == 0 || needed <= options.memory_limit_bytes) return;
  const int fits = largest_batch(network, options);
  const std::string advice =
      fits > 0 ? "a batch of " + std::to_string(fits) + " fits" : "not even a batch of 1 fits";
  throw InputError("device.memory_limit_mb",
                   "a batch of " + std::to_string(options.max_batch) + " takes up to " +
                       megabytes(needed) + " of the GPU, allowed are " +
                       megabytes(options.memory_limit_bytes) + ": " + advice);
}

}  // namespace oida::cuda
