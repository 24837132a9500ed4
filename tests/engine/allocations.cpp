#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>

namespace {

std::atomic<bool> watching{false};
std::atomic<std::size_t> ours{0};
std::atomic<std::size_t> onednn{0};
std::atomic<std::size_t> largest_onednn_bytes{0};

bool is_onednn(const void* caller) {
  Dl_info object{};
  return dladdr(caller, &object) != 0 && std::strstr(object.dli_fname, "libdnnl") != nullptr;
}

void note(std::size_t size, const void* caller) {
  if (!is_onednn(caller)) {
    ++ours;
    return;
  }
  ++onednn;
  std::size_t largest = largest_onednn_bytes;
  while (largest < size && !largest_onednn_bytes.compare_exchange_weak(largest, size)) {
  }
}

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  if (watching) note(size, caller);
  // The size must be a multiple of the alignment.
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t kUsual = alignof(std::max_align_t);

}  // namespace

namespace oida::test {

AllocationWatch::AllocationWatch() {
  ours = onednn = largest_onednn_bytes = 0;
  watching = true;
}

AllocationWatch::~AllocationWatch() {
  watching = false;
}

Allocations AllocationWatch::stop() {
  watching = false;
  return {ours, onednn, largest_onednn_bytes};
}

}  // namespace oida::test

// The forms that do not throw end in these.
void* operator new(std::size_t size) {
  return allocate(size, kUsual, __builtin_return_address(0));
}
void* operator new[](std::size_t size) {
  return allocate(size, kUsual, __builtin_return_address(0));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
