#pragma once
// One GPU as card.hpp wants it: one stream computes, beside it one carries batches and results, and
// one sums over units, which may take as long as the slowest of them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/card.hpp"
#include "engine/cuda/cudnn_plans.hpp"
#include "engine/cuda/gpu_handles.hpp"
#include "engine/cuda/ledger.hpp"
#include "engine/cuda/nccl.hpp"
#include "engine/engine.hpp"

namespace oida::cuda {

class GpuCard {
 public:
  /// Uses the GPU options.device on the calling thread.
  explicit GpuCard(const EngineOptions& options);
  GpuCard(const GpuCard&) = delete;
  GpuCard& operator=(const GpuCard&) = delete;
  ~GpuCard();

  template <typename T>
  T* allocate(std::size_t count, const std::string& what) {
    ledger_.add(what, count, sizeof(T));
    return static_cast<T*>(zeroed(count * sizeof(T)));
  }
  template <typename T>
  T* pinned(std::size_t count) {
    return static_cast<T*>(pinned_bytes(count * sizeof(T)));
  }
  void upload(void* to, const void* from, std::size_t bytes);
  void fetch(void* to, const void* from, std::size_t bytes);
  std::shared_ptr<void> pin(const void* memory, std::size_t bytes);
  void travel(void* to, const void* from, std::size_t bytes);
  void join();
  std::string sum_way() const { return nccl_ == nullptr ? "" : nccl_->name(); }
  std::string sum_invitation() const { return nccl_->invitation(); }
  void sum_join(const std::string& invitation, int rank, int size) {
    nccl_->join(invitation, rank, size);
  }
  void sum_all(float* values, std::size_t count, float* home, int mark);
  std::size_t room() const;

  /// Defined in gpu_run.cuh, for nvcc.
  template <typename Kernel>
  void run(Index count, const Kernel& kernel);

  int add_conv(const Conv& conv);
  void conv_forward(int plan, const void* in, const void* weight, void* out);
  void conv_backward_data(int plan, const void* weight, const void* d_out, void* d_in);
  void conv_backward_weight(int plan, const void* in, const void* d_out, void* d_weight);
  std::vector<std::string> conv_lines(int plan) const;
  int add_average_pool(const Pool& pool, int n, Element element);
  void average_pool_forward(int plan, const void* in, void* out);
  void average_pool_backward(int plan, const void* out, const void* d_out, const void* in,
                             void* d_in);
  void multiply(const Product& product);

  void prepare(int marks);
  /// As a CUDA graph; where CUDA refuses to record it, the work is asked for again at every play.
  int record(const std::function<void()>& body);
  void play(int recording);
  void mark_fetched(int mark);
  bool reached(int mark) const;

  std::vector<std::string> lines() const;
  std::vector<MemoryItem> memory() const { return ledger_.items(); }

 private:
  struct Recording {
    GraphExec graph;
    std::function<void()> body;  // where there is no graph
  };
  /// A piece of pinned memory on the way to the card.
  struct Staging {
    void* bytes = nullptr;
    Event sent;
  };

  void* zeroed(std::size_t bytes);
  /// What `stream` is asked for from now on comes after all computing asked for so far.
  void follow_computing(const Stream& stream);
  void* pinned_bytes(std::size_t bytes);
  GraphExec captured(const std::function<void()>& body);

  Arithmetic arithmetic_;
  AlgorithmChoice choice_;
  Ledger ledger_;
  Stream compute_, copy_, exchange_;
  std::unique_ptr<Nccl> nccl_;
  CudnnHandle cudnn_;
  CublasHandle cublas_;
  std::vector<DeviceMemory> memory_;
  std::vector<PinnedMemory> pinned_;
  Staging staging_[2];
  std::size_t next_staging_ = 0;
  Event computed_;   // what a fetch waits for
  Event travelled_;  // what computing waits for
  std::size_t limit_bytes_;
  std::vector<Event> marks_;
  std::vector<std::unique_ptr<ConvPlan>> convs_;
  std::vector<std::unique_ptr<AveragePoolPlan>> pools_;
  void* workspace_ = nullptr;
  std::vector<Recording> recordings_;
};

}  // namespace oida::cuda
