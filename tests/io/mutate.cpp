#include "io/mutate.hpp"

#include <algorithm>
#include <array>

namespace oida::testing {

std::size_t below(Random& random, std::size_t n) {
  return n == 0 ? 0 : random() % n;
}

void mutate(std::string& bytes, Random& random) {
  constexpr std::array<const char*, 8> kWords = {"-1",  "0", "99999999999", "4294967295", "nan",
                                                 "1e9", "",  "2147483647"};
  if (bytes.empty()) return;
  const std::size_t at = below(random, bytes.size());
  switch (random() % 6) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, 1 + random() % 64));
      break;
    case 4:
      bytes.erase(at, 1 + random() % 16);
      break;
    default: {  // a number of a text
      const auto digit = bytes.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const auto end = bytes.find_first_not_of("0123456789", digit);
      bytes.replace(digit, std::min(end, bytes.size()) - digit, kWords[random() % kWords.size()]);
    }
  }
}

}  // namespace oida::testing
