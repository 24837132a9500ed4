#pragma once
// Counts the calls of operator new in this executable, on all threads.

#include <cstddef>

namespace oida::test {

std::size_t allocations();

}  // namespace oida::test
