#pragma once
// Watches operator new in this executable, on all threads.

#include <cstddef>

namespace oida::test {

/// oneDNN makes small tables of arguments inside each call; they are told apart by the caller.
struct Allocations {
  std::size_t ours = 0;
  std::size_t onednn = 0;
  std::size_t largest_onednn_bytes = 0;
};

/// One watch at a time, from its construction to stop().
class AllocationWatch {
 public:
  AllocationWatch();
  ~AllocationWatch();
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;

  Allocations stop();
};

}  // namespace oida::test
