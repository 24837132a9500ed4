#include "engine/onednn/library.hpp"

#include <algorithm>

#include <omp.h>

#include "core/error.hpp"

namespace oida::onednn {
namespace {

void* mutable_pointer(const void* pointer) {
  return const_cast<void*>(pointer);
}

}  // namespace

ThreadScope::ThreadScope(int threads)
    : before_(omp_get_max_threads()), dynamic_before_(omp_get_dynamic()) {
  const int limit = omp_get_thread_limit();
  if (threads > limit) {
    throw InputError(
        "device.threads",
        std::to_string(threads) + " threads where OMP_THREAD_LIMIT is " + std::to_string(limit));
  }
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

ThreadScope::~ThreadScope() {
  omp_set_num_threads(before_);
  omp_set_dynamic(dynamic_before_);
}

bool has_isa(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

Call::Call(Library& library, const dnnl::primitive& primitive,
           std::initializer_list<std::pair<int, dnnl::memory::desc>> arguments)
    : primitive_(primitive) {
  const const_dnnl_primitive_desc_t description = primitive.get_primitive_desc();
  const dnnl_memory_desc_t* scratchpad =
      dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  const char* name = nullptr;
  dnnl::error::wrap_c_api(
      dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name),
      "no name of an implementation");
  implementation_ = name;
  for (const auto& [argument, layout] : arguments) add(library, argument, layout);
  const dnnl::memory::desc scratch_layout(*scratchpad);
  library.reserve_scratch(scratch_layout.get_size());
  add(library, DNNL_ARG_SCRATCHPAD, scratch_layout);
}

void Call::add(Library& library, int argument, const dnnl::memory::desc& layout) {
  memories_.emplace_back(layout, library.engine(), static_cast<void*>(nullptr));
  bound_.push_back(nullptr);
  arguments_.push_back({argument, memories_.back().get()});
}

void Call::bind(int argument, const void* pointer) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].arg != argument || bound_[i] == pointer) continue;
    memories_[i].set_data_handle(mutable_pointer(pointer));
    bound_[i] = pointer;
  }
}

void Call::run(Library& library, std::initializer_list<std::pair<int, const void*>> pointers) {
  for (const auto& [argument, pointer] : pointers) bind(argument, pointer);
  bind(DNNL_ARG_SCRATCHPAD, library.scratch());
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), library.stream().get(),
                             static_cast<int>(arguments_.size()), arguments_.data()),
      "a primitive could not run");
}

dnnl::primitive_attr attributes(bool relu) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (relu) {
    dnnl::post_ops after;
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
    attributes.set_post_ops(after);
  }
  return attributes;
}

void copy_layout(const Library& library, const dnnl::memory::desc& from_layout, const float* from,
                 const dnnl::memory::desc& to_layout, float* to) {
  dnnl::memory source(from_layout, library.engine(), mutable_pointer(from));
  dnnl::memory target(to_layout, library.engine(), to);
  dnnl::stream stream(library.engine());
  dnnl::reorder(source, target).execute(stream, source, target);
  stream.wait();
}

}  // namespace oida::onednn
