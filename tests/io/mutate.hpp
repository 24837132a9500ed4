#pragma once
// Damage that is the same for the same seed.

#include <random>
#include <string>

namespace oida::testing {

using Random = std::mt19937_64;

/// 0 .. n - 1; 0 for n = 0.
std::size_t below(Random& random, std::size_t n);

/// One change: of a bit or a byte, a cut, bytes doubled or taken out, another number in a text.
void mutate(std::string& bytes, Random& random);

}  // namespace oida::testing
