#pragma once
// Counts the heap allocations of this test program.

#include <cstddef>

namespace oida::test {

std::size_t allocations();

}  // namespace oida::test
