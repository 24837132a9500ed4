#include "engine/cuda/nccl.hpp"

#include <algorithm>
#include <iterator>

#include <dlfcn.h>
#include <nccl.h>

#include "core/error.hpp"

namespace oida::cuda {
namespace {

template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// NCCL's functions, found by name.
struct Functions {
  explicit Functions(void* library)
      : version(find<decltype(ncclGetVersion)>(library, "ncclGetVersion")),
        unique_id(find<decltype(ncclGetUniqueId)>(library, "ncclGetUniqueId")),
        init(find<decltype(ncclCommInitRank)>(library, "ncclCommInitRank")),
        all_reduce(find<decltype(ncclAllReduce)>(library, "ncclAllReduce")),
        abort(find<decltype(ncclCommAbort)>(library, "ncclCommAbort")),
        text(find<decltype(ncclGetErrorString)>(library, "ncclGetErrorString")) {}

  bool complete() const {
    return version != nullptr && unique_id != nullptr && init != nullptr && all_reduce != nullptr &&
           abort != nullptr && text != nullptr;
  }

  decltype(&ncclGetVersion) version;
  decltype(&ncclGetUniqueId) unique_id;
  decltype(&ncclCommInitRank) init;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclGetErrorString) text;
};

class LoadedNccl final : public Nccl {
 public:
  explicit LoadedNccl(const Functions& functions) : functions_(functions) {}
  LoadedNccl(const LoadedNccl&) = delete;
  LoadedNccl& operator=(const LoadedNccl&) = delete;
  /// Without waiting for the other units, which may have ended.
  ~LoadedNccl() override {
    if (comm_ != nullptr) static_cast<void>(functions_.abort(comm_));
  }

  std::string name() const override {
    int version = 0;
    check(functions_.version(&version), "ncclGetVersion");
    return "nccl " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
  }
  std::string invitation() const override {
    ncclUniqueId id{};
    check(functions_.unique_id(&id), "ncclGetUniqueId");
    return {std::begin(id.internal), std::end(id.internal)};
  }
  void join(const std::string& invitation, int rank, int size) override {
    ncclUniqueId id{};
    if (invitation.size() != sizeof id.internal) throw Error("nccl", "an invitation of no unit");
    std::ranges::copy(invitation, id.internal);
    check(functions_.init(&comm_, size, id, rank), "ncclCommInitRank");
  }
  void sum(float* values, std::size_t count, cudaStream_t stream) override {
    check(functions_.all_reduce(values, values, count, ncclFloat, ncclSum, comm_, stream),
          "ncclAllReduce");
  }

 private:
  void check(ncclResult_t code, const char* call) const {
    if (code != ncclSuccess) throw Error("nccl", std::string(call) + ": " + functions_.text(code));
  }

  Functions functions_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::unique_ptr<Nccl> load_nccl() {
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const Functions functions(library);
  if (!functions.complete()) return nullptr;
  return std::make_unique<LoadedNccl>(functions);
}

}  // namespace oida::cuda
