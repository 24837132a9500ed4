#include "data/label_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "core/error.hpp"

namespace oida {
namespace {

/// Another place is named where it explains this much more of the variance, and by this factor.
constexpr double kClearly = 0.02, kTimes = 1.1;
constexpr float kLeastPower = 1e-30F;

/// Powers of one pixel: of s2 those of its four channels.
void push_powers(const MatrixWindow& strip, std::size_t i, std::vector<float>& out) {
  const auto push = [&](float power) { out.push_back(std::log10(std::max(power, kLeastPower))); };
  for (const std::size_t e : diagonal(strip.kind)) push(strip.plane(e)[i]);
  for (std::size_t e = 0; strip.kind == MatrixKind::s2 && e < kS2Elements.size(); e += 2) {
    const float real = strip.plane(e)[i], imaginary = strip.plane(e + 1)[i];
    push(real * real + imaginary * imaginary);
  }
}

struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double x) {
    ++n;
    sum += x;
    squares += x * x;
  }
};

/// Share of the variance that lies between the classes.
double correlation_ratio(const std::array<Moments, 256>& classes) {
  Moments all;
  double between = 0;
  for (const Moments& one : classes) {
    all.n += one.n;
    all.sum += one.sum;
    all.squares += one.squares;
    if (one.n > 0) between += one.sum * one.sum / one.n;
  }
  if (all.n < 1) return 0;
  const double mean = all.sum * all.sum / all.n, whole = all.squares - mean;
  return whole > 0 ? (between - mean) / whole : 0;
}

}  // namespace

/// The label of pixel (row, col) is taken from where the place says.
struct LabelFit::Place {
  std::string words;
  bool mirror_rows = false, mirror_cols = false;
  int shift_rows = 0, shift_cols = 0;

  static std::vector<Place> others() {
    std::vector<Place> places{{"upside down", true, false, 0, 0},
                              {"mirrored left to right", false, true, 0, 0},
                              {"turned by 180 degrees", true, true, 0, 0}};
    for (int by = -kMostShift_px; by <= kMostShift_px; ++by) {
      if (by == 0) continue;
      const std::string pixels = std::to_string(std::abs(by));
      places.push_back({pixels + (by < 0 ? " rows lower" : " rows higher"), false, false, by, 0});
      places.push_back({pixels + (by < 0 ? " columns to the right" : " columns to the left"), false,
                        false, 0, by});
    }
    return places;
  }
};

LabelFit::LabelFit(int rows, int cols)
    : rows_(rows),
      cols_(cols),
      step_(std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(rows) * cols /
                                                             static_cast<double>(kMostPixels)))))) {
}

void LabelFit::add(const MatrixWindow& strip, int first_row) {
  if (strip.cols != cols_) throw Error("label fit", "a strip is not as wide as the scene");
  for (int row = first_row; row < first_row + strip.rows; ++row) {
    for (int col = 0; row % step_ == 0 && col < cols_; col += step_) {
      const auto i = static_cast<std::size_t>(row - first_row) * static_cast<std::size_t>(cols_) +
                     static_cast<std::size_t>(col);
      if (strip.valid[i] == 0) continue;
      pixels_.push_back({row, col});
      push_powers(strip, i, powers_);
    }
  }
  if (!pixels_.empty()) channels_ = powers_.size() / pixels_.size();
}

double LabelFit::explained(const LabelRaster& labels, const Place& place) const {
  double sum = 0;
  for (std::size_t channel = 0; channel < channels_; ++channel) {
    std::array<Moments, 256> classes{};
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      const auto [row, col] = pixels_[i];
      const int y = (place.mirror_rows ? rows_ - 1 - row : row) + place.shift_rows;
      const int x = (place.mirror_cols ? cols_ - 1 - col : col) + place.shift_cols;
      if (y < 0 || y >= rows_ || x < 0 || x >= cols_) continue;
      const std::uint8_t id =
          labels.ids[static_cast<std::size_t>(y) * static_cast<std::size_t>(cols_) +
                     static_cast<std::size_t>(x)];
      if (id != 0) classes[id].add(static_cast<double>(powers_[i * channels_ + channel]));
    }
    sum += correlation_ratio(classes);
  }
  return channels_ == 0 ? 0 : sum / static_cast<double>(channels_);
}

std::string LabelFit::doubt(const LabelRaster& labels) const {
  if (labels.rows != rows_ || labels.cols != cols_) {
    throw Error("label fit", "the labels are of another size than the scene");
  }
  const double own = explained(labels, {});
  double best = own;
  std::string words;
  for (const Place& place : Place::others()) {
    const double other = explained(labels, place);
    if (other <= best) continue;
    best = other;
    words = place.words;
  }
  if (words.empty() || best < own + kClearly || best < own * kTimes) return "";
  std::ostringstream text;
  text.precision(2);
  text << "labels explain the scene better " << words << " (" << best << " of its variance against "
       << own << " as they are)";
  return text.str();
}

}  // namespace oida
