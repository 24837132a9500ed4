#include "io/report/figure_style.hpp"

#include <array>

namespace oida {
namespace {

constexpr std::array<const char*, 7> kColours = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                                 "#66ccee", "#aa3377", "#777777"};

}  // namespace

std::string colour(std::size_t i) {
  return std::string("lc rgb '") + kColours[i % kColours.size()] + "'";
}

std::string dash(std::size_t i) {
  constexpr std::array<const char*, 3> kDashes = {"dt 1", "dt 2", "dt 4"};
  return kDashes[i / kColours.size() % kDashes.size()] + std::string(" ");
}

std::string mark(std::size_t i) {
  constexpr std::array<const char*, 3> kMarks = {"pt 7", "pt 5", "pt 9"};
  return kMarks[i / kColours.size() % kMarks.size()] + std::string(" ");
}

}  // namespace oida
