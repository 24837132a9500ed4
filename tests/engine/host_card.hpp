#pragma once
// A card (engine/cuda/card.hpp) that computes on the host: the own kernels as they are written,
// what cuDNN and cuBLAS do on a GPU by plain loops in double. As with a CUDA graph, recording
// computes nothing and keeps every pointer that it was given.

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/cuda/card.hpp"
#include "engine/cuda/ledger.hpp"
#include "engine/engine.hpp"

namespace oida::test {

/// What is between the cards of all units.
class Units {
 public:
  virtual ~Units() = default;
  virtual void join(const std::string& invitation, int rank, int size) = 0;
  virtual void sum(std::span<float> values) = 0;
};

class HostCard {
 public:
  /// Of all cards; null: they cannot sum among themselves.
  inline static Units* units = nullptr;

  explicit HostCard(const EngineOptions& options)
      : ledger_(options.memory_limit_bytes),
        room_bytes_(options.memory_limit_bytes > 0 ? options.memory_limit_bytes : SIZE_MAX) {
    fetched_.reserve(kCopies);
    travelling_.reserve(kCopies);
  }

  template <typename T>
  T* allocate(std::size_t count, const std::string& what) {
    ledger_.add(what, count, sizeof(T));
    return pinned<T>(count);
  }
  template <typename T>
  T* pinned(std::size_t count) {
    memory_.push_back(std::make_unique<double[]>(count * sizeof(T) / sizeof(double) + 1));
    return reinterpret_cast<T*>(memory_.back().get());
  }
  void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  /// As late as a GPU may: what is changed meanwhile is seen.
  void fetch(void* to, const void* from, std::size_t bytes) {
    fetched_.push_back({to, from, bytes});
  }

  std::shared_ptr<void> pin(const void*, std::size_t) { return std::make_shared<int>(); }
  void travel(void* to, const void* from, std::size_t bytes) {
    travelling_.push_back({to, from, bytes});
  }
  void join() { copy_all(travelling_); }
  std::size_t room() const { return room_bytes_; }
  std::string sum_way() const { return units == nullptr ? "" : "host"; }
  std::string sum_invitation() const { return "come"; }
  void sum_join(const std::string& invitation, int rank, int size) {
    units->join(invitation, rank, size);
  }
  void sum_all(float* values, std::size_t count, float* home, int mark) {
    units->sum({values, count});
    fetch(home, values, count * sizeof(float));
    mark_fetched(mark);
  }

  template <typename Kernel>
  void run(cuda::Index count, const Kernel& kernel) {
    compute([count, kernel] {
      for (cuda::Index index = 0; index < count; ++index) kernel(index);
    });
  }

  int add_conv(const cuda::Conv& conv);
  void conv_forward(int plan, const void* in, const void* weight, void* out);
  void conv_backward_data(int plan, const void* weight, const void* d_out, void* d_in);
  void conv_backward_weight(int plan, const void* in, const void* d_out, void* d_weight);
  std::vector<std::string> conv_lines(int plan) const;
  int add_average_pool(const cuda::Pool& pool, int n, cuda::Element element);
  void average_pool_forward(int plan, const void* in, void* out);
  void average_pool_backward(int plan, const void* out, const void* d_out, const void* in,
                             void* d_in);
  void multiply(const cuda::Product& product);

  void prepare(int marks) { marks_.assign(static_cast<std::size_t>(marks), false); }
  int record(const std::function<void()>& body);
  void play(int recording);
  void mark_fetched(int mark) { marks_.at(static_cast<std::size_t>(mark)) = true; }
  /// At the second asking, so that waiting is seen.
  bool reached(int mark) {
    asked_ = !asked_;
    if (asked_) return false;
    copy_all(fetched_);
    return marks_.at(static_cast<std::size_t>(mark));
  }
  std::vector<std::string> lines() const { return {"step: on the host"}; }
  std::vector<MemoryItem> memory() const { return ledger_.items(); }

 private:
  static constexpr std::size_t kCopies = 256;  // steps must not allocate

  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  struct AveragePool {
    cuda::Pool pool;
    int n;
    cuda::Element element;
  };

  static void copy_all(std::vector<Copy>& copies) {
    for (const Copy& copy : copies) std::memcpy(copy.to, copy.from, copy.bytes);
    copies.clear();
  }
  const cuda::Conv& conv(int plan) const;
  /// Kept only while it is recorded: steps must not allocate.
  template <typename Work>
  void compute(Work work) {
    if (!recording_) return work();
    recordings_.back().push_back(std::move(work));
  }
  void add_up(std::size_t size, void* into, cuda::Element element,
              std::function<void(std::vector<double>&)> work);

  cuda::Ledger ledger_;
  std::size_t room_bytes_;
  std::vector<Copy> fetched_, travelling_;
  std::vector<std::unique_ptr<double[]>> memory_;
  std::vector<cuda::Conv> convs_;
  std::vector<AveragePool> pools_;
  std::vector<bool> marks_;
  std::vector<std::vector<std::function<void()>>> recordings_;
  bool recording_ = false;
  bool asked_ = false;
};

/// The cuda engine on that card.
std::unique_ptr<Engine> make_host_card_engine(const Network& network, const EngineOptions& options);

}  // namespace oida::test
