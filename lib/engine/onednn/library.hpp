#pragma once
// oneDNN as this engine uses it: primitives made once, arguments bound by pointer, user scratchpad.
// Errors: dnnl::error; OnednnEngine turns it into oida::Error.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <dnnl.hpp>

namespace oida::onednn {

/// Runs what is called in its life with `threads` OpenMP threads, then restores the caller's
/// number. Never with fewer: kernels are made for their number of threads, and the library's give
/// wrong results on less. InputError where OMP_THREAD_LIMIT does not allow so many.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
  int dynamic_before_;
};

/// True when the library may use `isa` on this CPU; ONEDNN_MAX_CPU_ISA lowers it, for the kernels
/// of this room as well.
bool has_isa(dnnl::cpu_isa isa);

class Library {
 public:
  const dnnl::engine& engine() const { return engine_; }
  dnnl::stream& stream() { return stream_; }

  /// Scratch shared by all primitives, for they run one after another.
  void reserve_scratch(std::size_t bytes) { scratch_bytes_ = std::max(scratch_bytes_, bytes); }
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  void bind_scratch(void* scratch) { scratch_ = scratch; }
  void* scratch() const { return scratch_; }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::size_t scratch_bytes_ = 0;
  void* scratch_ = nullptr;
};

/// A primitive and its arguments. Binding a pointer that is bound already costs nothing.
class Call {
 public:
  Call() = default;
  /// `arguments`: DNNL_ARG_* and layout of each; the scratchpad is added here.
  Call(Library& library, const dnnl::primitive& primitive,
       std::initializer_list<std::pair<int, dnnl::memory::desc>> arguments);

  explicit operator bool() const { return static_cast<bool>(primitive_); }
  void run(Library& library, std::initializer_list<std::pair<int, const void*>> pointers);
  std::string implementation() const { return implementation_; }

 private:
  void add(Library& library, int argument, const dnnl::memory::desc& layout);
  void bind(int argument, const void* pointer);

  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<const void*> bound_;
  std::vector<dnnl_exec_arg_t> arguments_;
  std::string implementation_;
};

/// Attributes of every primitive here: scratchpad by the caller; relu after it when asked.
dnnl::primitive_attr attributes(bool relu = false);

/// Copies between two layouts of the same array; allocates, for set-up only. May run beside
/// primitives of other threads.
void copy_layout(const Library& library, const dnnl::memory::desc& from_layout, const float* from,
                 const dnnl::memory::desc& to_layout, float* to);

}  // namespace oida::onednn
