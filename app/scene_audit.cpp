#include "scene_audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

namespace oida::app {

namespace {

/// Sums over valid pixels.
struct PowerSum {
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void add(double power) {
    sum += power;
    least = std::min(least, power);
    most = std::max(most, power);
  }
};
using Sums = std::map<std::string, PowerSum>;

void add_matrix(const MatrixWindow& window, Sums& sums) {
  for (const std::size_t element : diagonal(window.kind)) {
    PowerSum& sum = sums[std::string(elements(window.kind)[element])];
    for (std::size_t i = 0; i < window.pixels(); ++i) {
      if (window.valid[i] != 0) sum.add(static_cast<double>(window.plane(element)[i]));
    }
  }
}

/// Of S2: the powers of its channels, and kDifference, that of HV - VH.
constexpr const char* kDifference = "HV-VH";

double power_of(const MatrixWindow& window, std::size_t channel, std::size_t minus, std::size_t i) {
  double sum = 0;
  for (const std::size_t part : {0U, 1U}) {
    double value = static_cast<double>(window.plane(2 * channel + part)[i]);
    if (minus != channel) value -= static_cast<double>(window.plane(2 * minus + part)[i]);
    sum += value * value;
  }
  return sum;
}

void add_scattering(const MatrixWindow& window, Sums& sums) {
  constexpr std::array<const char*, 4> kNames = {"HH", "HV", "VH", "VV"};
  const auto add = [&](const char* name, std::size_t channel, std::size_t minus) {
    PowerSum& sum = sums[name];
    for (std::size_t i = 0; i < window.pixels(); ++i) {
      if (window.valid[i] != 0) sum.add(power_of(window, channel, minus, i));
    }
  };
  for (std::size_t c = 0; c < kNames.size(); ++c) add(kNames[c], c, c);
  add(kDifference, 1, 2);
}

std::string decibel(double power) {
  std::ostringstream text;
  text.precision(3);
  text << 10 * std::log10(power) << " dB";
  return text.str();
}

/// Calibrated backscatter of land, sea and towns lies well within.
constexpr double kLeastMean = 1e-7, kMostMean = 1e3;

std::string of_range(const std::string& name, const PowerRange& power) {
  if (power.least == power.most) {
    std::ostringstream text;
    text << name << " is constant: " << power.mean << " everywhere";
    return text.str();
  }
  if (power.mean < 0) return name + " is below zero on average: powers in dB are not understood";
  if (power.mean >= kLeastMean && power.mean <= kMostMean) return "";
  return name + " has a mean power of " + decibel(power.mean) +
         ": not calibrated, or not linear power";
}

std::string share(std::int64_t count, std::int64_t pixels) {
  std::ostringstream text;
  text.precision(3);
  text << 100 * static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, pixels))
       << " % of the pixels";
  return text.str();
}

}  // namespace

Audit audit_scene(SceneSource& scene, LabelFit& fit) {
  constexpr int kStripRows = 64;
  Audit result;
  const SceneInfo& info = scene.info();
  Sums sums;
  for (int row = 0; row < info.rows; row += kStripRows) {
    const MatrixWindow window =
        scene.read({row, 0, std::min(kStripRows, info.rows - row), info.cols});
    result.defects += window.defects;
    (info.kind == MatrixKind::s2 ? add_scattering : add_matrix)(window, sums);
    fit.add(window, row);
  }
  if (info.kind == MatrixKind::s2) {
    const double cross = sums["HV"].sum + sums["VH"].sum;
    if (cross > 0) result.reciprocity = sums[kDifference].sum / cross;
    sums.erase(kDifference);
  }
  const auto valid = static_cast<double>(result.defects.pixels - result.defects.invalid);
  for (const auto& [name, sum] : sums) {
    result.power[name] =
        valid > 0 ? PowerRange{sum.sum / valid, sum.least, sum.most} : PowerRange{};
  }
  result.read_s = scene.read_s();
  result.read_bytes = scene.bytes_read();
  return result;
}

std::vector<std::string> findings(MatrixKind kind, const Audit& audit) {
  std::vector<std::string> found;
  const Defects& defects = audit.defects;
  const auto add = [&](std::int64_t count, const std::string& what) {
    if (count > 0) found.push_back(share(count, defects.pixels) + ' ' + what);
  };
  add(defects.invalid, "are invalid: not finite, without power, or masked");
  add(defects.negative_power, "have a power below zero");
  add(defects.not_semidefinite, "have a matrix that is not positive semi-definite");
  for (const auto& [name, power] : audit.power) {
    const std::string text = of_range(name, power);
    if (!text.empty()) found.push_back(text);
  }
  constexpr double kReciprocal = 0.3;
  if (kind == MatrixKind::s2 && audit.reciprocity.value_or(0) > kReciprocal) {
    found.push_back("HV and VH differ by " + decibel(*audit.reciprocity) +
                    " of their power: not reciprocal, or wrongly ordered or calibrated");
  }
  return found;
}

}  // namespace oida::app
