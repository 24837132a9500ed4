#include "engine/cuda/gpu_card.hpp"

#include <algorithm>
#include <cstring>

#include "engine/cuda/cuda_check.hpp"
#include "engine/cuda/memory_plan.hpp"

namespace oida::cuda {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{4} << 20;
constexpr std::size_t kCublasBytes = std::size_t{32} << 20;

Stream make_stream() {
  cudaStream_t raw = nullptr;
  check(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), "cudaStreamCreate");
  return Stream(raw);
}

Event make_event() {
  cudaEvent_t raw = nullptr;
  check(cudaEventCreateWithFlags(&raw, cudaEventDisableTiming), "cudaEventCreate");
  return Event(raw);
}

cudaDataType_t type_of(Element element) {
  return element == Element::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

}  // namespace

GpuCard::GpuCard(const EngineOptions& options)
    : arithmetic_(arithmetic(options.precision)),
      choice_{options.kernels, workspace_limit_bytes(options.memory_limit_bytes), arithmetic_},
      ledger_(options.memory_limit_bytes),
      limit_bytes_(options.memory_limit_bytes) {
  check(cudaSetDevice(options.device), "cudaSetDevice");
  compute_ = make_stream();
  copy_ = make_stream();
  exchange_ = make_stream();
  computed_ = make_event();
  travelled_ = make_event();
  nccl_ = load_nccl();
  for (Staging& staging : staging_) {
    staging.bytes = pinned_bytes(kStagingBytes);
    staging.sent = make_event();
  }
  cudnnHandle_t cudnn = nullptr;
  check(cudnnCreate(&cudnn), "cudnnCreate");
  cudnn_.reset(cudnn);
  check(cudnnSetStream(cudnn, compute_.get()), "cudnnSetStream");
  cublasHandle_t cublas = nullptr;
  check(cublasCreate(&cublas), "cublasCreate");
  cublas_.reset(cublas);
  check(cublasSetStream(cublas, compute_.get()), "cublasSetStream");
}

GpuCard::~GpuCard() {
  static_cast<void>(cudaStreamSynchronize(compute_.get()));
  static_cast<void>(cudaStreamSynchronize(copy_.get()));
  nccl_.reset();  // ends what the other units may have left undone
  static_cast<void>(cudaStreamSynchronize(exchange_.get()));
}

void* GpuCard::zeroed(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
  memory_.emplace_back(memory);
  check(cudaMemsetAsync(memory, 0, bytes, compute_.get()), "cudaMemset");
  return memory;
}

void* GpuCard::pinned_bytes(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  pinned_.emplace_back(memory);
  return memory;
}

/// While one piece travels the next is copied into pinned memory.
void GpuCard::upload(void* to, const void* from, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += kStagingBytes) {
    Staging& staging = staging_[next_staging_];
    next_staging_ = 1 - next_staging_;
    check(cudaEventSynchronize(staging.sent.get()), "cudaEventSynchronize");
    const std::size_t piece = std::min(kStagingBytes, bytes - done);
    std::memcpy(staging.bytes, static_cast<const char*>(from) + done, piece);
    check(cudaMemcpyAsync(static_cast<char*>(to) + done, staging.bytes, piece,
                          cudaMemcpyHostToDevice, compute_.get()),
          "cudaMemcpy to the GPU");
    check(cudaEventRecord(staging.sent.get(), compute_.get()), "cudaEventRecord");
  }
}

void GpuCard::follow_computing(const Stream& stream) {
  check(cudaEventRecord(computed_.get(), compute_.get()), "cudaEventRecord");
  check(cudaStreamWaitEvent(stream.get(), computed_.get(), 0), "cudaStreamWaitEvent");
}

void GpuCard::sum_all(float* values, std::size_t count, float* home, int mark) {
  follow_computing(exchange_);
  nccl_->sum(values, count, exchange_.get());
  check(
      cudaMemcpyAsync(home, values, count * sizeof(float), cudaMemcpyDeviceToHost, exchange_.get()),
      "cudaMemcpy from the GPU");
  check(cudaEventRecord(marks_[static_cast<std::size_t>(mark)].get(), exchange_.get()),
        "cudaEventRecord");
}

void GpuCard::fetch(void* to, const void* from, std::size_t bytes) {
  follow_computing(copy_);
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copy_.get()),
        "cudaMemcpy from the GPU");
}

std::shared_ptr<void> GpuCard::pin(const void* memory, std::size_t bytes) {
  void* pages = const_cast<void*>(memory);
  check(cudaHostRegister(pages, bytes, cudaHostRegisterDefault), "cudaHostRegister");
  return {pages, [](void* kept) { static_cast<void>(cudaHostUnregister(kept)); }};
}

void GpuCard::travel(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copy_.get()),
        "cudaMemcpy to the GPU");
}

void GpuCard::join() {
  check(cudaEventRecord(travelled_.get(), copy_.get()), "cudaEventRecord");
  check(cudaStreamWaitEvent(compute_.get(), travelled_.get(), 0), "cudaStreamWaitEvent");
}

std::size_t GpuCard::room() const {
  if (limit_bytes_ > 0) return limit_bytes_;
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return free + ledger_.bytes();
}

int GpuCard::add_conv(const Conv& conv) {
  convs_.push_back(std::make_unique<ConvPlan>(cudnn_.get(), conv, choice_));
  return static_cast<int>(convs_.size()) - 1;
}

void GpuCard::conv_forward(int plan, const void* in, const void* weight, void* out) {
  convs_[static_cast<std::size_t>(plan)]->forward(cudnn_.get(), workspace_, in, weight, out);
}

void GpuCard::conv_backward_data(int plan, const void* weight, const void* d_out, void* d_in) {
  convs_[static_cast<std::size_t>(plan)]->backward_data(cudnn_.get(), workspace_, weight, d_out,
                                                        d_in);
}

void GpuCard::conv_backward_weight(int plan, const void* in, const void* d_out, void* d_weight) {
  convs_[static_cast<std::size_t>(plan)]->backward_weight(cudnn_.get(), workspace_, in, d_out,
                                                          d_weight);
}

std::vector<std::string> GpuCard::conv_lines(int plan) const {
  return convs_[static_cast<std::size_t>(plan)]->lines();
}

int GpuCard::add_average_pool(const Pool& pool, int n, Element element) {
  pools_.push_back(std::make_unique<AveragePoolPlan>(pool, n, element));
  return static_cast<int>(pools_.size()) - 1;
}

void GpuCard::average_pool_forward(int plan, const void* in, void* out) {
  pools_[static_cast<std::size_t>(plan)]->forward(cudnn_.get(), in, out);
}

void GpuCard::average_pool_backward(int plan, const void* out, const void* d_out, const void* in,
                                    void* d_in) {
  pools_[static_cast<std::size_t>(plan)]->backward(cudnn_.get(), out, d_out, in, d_in);
}

/// cuBLAS counts column by column: it sees every array turned, and computes c^T = b^T a^T.
void GpuCard::multiply(const Product& product) {
  const float one = 1.0F;
  const float zero = 0.0F;
  const auto turned = [](bool is) { return is ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const int a_row = product.a_turned ? product.rows : product.inner;
  const int b_row = product.b_turned ? product.inner : product.cols;
  const cublasComputeType_t compute =
      arithmetic_ == Arithmetic::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check(
      cublasGemmEx(cublas_.get(), turned(product.b_turned), turned(product.a_turned), product.cols,
                   product.rows, product.inner, &one, product.b, type_of(product.element), b_row,
                   product.a, type_of(product.element), a_row, &zero, product.c,
                   type_of(product.c_element), product.cols, compute, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

void GpuCard::prepare(int marks) {
  std::size_t bytes = 0;
  for (const auto& conv : convs_) bytes = std::max(bytes, conv->workspace_bytes());
  workspace_ = allocate<char>(bytes, "cuDNN's scratch");
  // cuBLAS's own would be allocated while it is recorded.
  void* scratch = allocate<char>(kCublasBytes, "cuBLAS's scratch");
  check(cublasSetWorkspace(cublas_.get(), scratch, kCublasBytes), "cublasSetWorkspace");
  for (int mark = 0; mark < marks; ++mark) marks_.push_back(make_event());
}

GraphExec GpuCard::captured(const std::function<void()>& body) {
  check(cudaStreamBeginCapture(compute_.get(), cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  bool refused = false;
  try {
    body();
  } catch (const Error&) {
    refused = true;
  }
  cudaGraph_t raw = nullptr;
  refused |= cudaStreamEndCapture(compute_.get(), &raw) != cudaSuccess;
  const Graph graph(raw);
  cudaGraphExec_t exec = nullptr;
  if (refused || cudaGraphInstantiate(&exec, raw, 0) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // belongs to the refusal
    return {};
  }
  return GraphExec(exec);
}

int GpuCard::record(const std::function<void()>& body) {
  Recording recording{captured(body), {}};
  if (!recording.graph) recording.body = body;
  recordings_.push_back(std::move(recording));
  return static_cast<int>(recordings_.size()) - 1;
}

void GpuCard::play(int recording) {
  const Recording& wanted = recordings_[static_cast<std::size_t>(recording)];
  if (wanted.graph) {
    check(cudaGraphLaunch(wanted.graph.get(), compute_.get()), "cudaGraphLaunch");
  } else {
    wanted.body();
  }
}

void GpuCard::mark_fetched(int mark) {
  check(cudaEventRecord(marks_[static_cast<std::size_t>(mark)].get(), copy_.get()),
        "cudaEventRecord");
}

bool GpuCard::reached(int mark) const {
  const cudaError_t code = cudaEventQuery(marks_[static_cast<std::size_t>(mark)].get());
  if (code == cudaErrorNotReady) return false;
  check(code, "the step on the GPU");
  return true;
}

std::vector<std::string> GpuCard::lines() const {
  const auto graphs = std::ranges::count_if(
      recordings_, [](const Recording& recording) { return recording.graph != nullptr; });
  return {"step: " + std::to_string(graphs) + " of " + std::to_string(recordings_.size()) +
          " parts as CUDA graphs"};
}

}  // namespace oida::cuda
