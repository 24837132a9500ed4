#include "data/split_file.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

constexpr const char* kKey = "data.split_file";
constexpr std::uint8_t kTrains = 1;

void check(const LabelImage& labels, const LabelImage& parts) {
  const auto size = [](const LabelImage& image) {
    return std::to_string(image.rows) + " rows x " + std::to_string(image.cols) + " cols";
  };
  if (labels.rows != parts.rows || labels.cols != parts.cols) {
    throw InputError(kKey, "has " + size(parts) + " where the scene has " + size(labels));
  }
  const auto wrong = std::find_if(parts.classes.begin(), parts.classes.end(),
                                  [](std::uint8_t part) { return part > 3; });
  if (wrong == parts.classes.end()) return;
  throw InputError(kKey, "holds " + std::to_string(*wrong) +
                             "; allowed: 0 unused, 1 training, 2 validation, 3 test");
}

/// Column counts of training samples in a band of rows around a row.
class Band {
 public:
  explicit Band(const LabelImage& parts, const LabelImage& labels)
      : parts_(parts), labels_(labels), counts_(static_cast<std::size_t>(parts.cols)) {}

  void add(int row, int times) {
    if (row < 0 || row >= parts_.rows) return;
    for (int col = 0; col < parts_.cols; ++col) {
      const bool trains = parts_.at(row, col) == kTrains && labels_.at(row, col) != 0;
      counts_[static_cast<std::size_t>(col)] += trains ? times : 0;
    }
  }
  /// Sums up to and without each column.
  std::vector<std::int64_t> sums() const {
    std::vector<std::int64_t> out(counts_.size() + 1);
    for (std::size_t i = 0; i < counts_.size(); ++i) out[i + 1] = out[i] + counts_[i];
    return out;
  }

 private:
  const LabelImage& parts_;
  const LabelImage& labels_;
  std::vector<int> counts_;
};

/// Patches share a pixel where their centres are at most twice the reach apart, in rows and
/// columns.
bool meet(const LabelImage& parts, const LabelImage& labels, int apart_px) {
  Band band(parts, labels);
  for (int row = 0; row < apart_px; ++row) band.add(row, 1);
  for (int row = 0; row < parts.rows; ++row) {
    band.add(row + apart_px, 1);
    const auto sums = band.sums();
    for (int col = 0; col < parts.cols; ++col) {
      if (parts.at(row, col) <= kTrains || labels.at(row, col) == 0) continue;
      const auto left = static_cast<std::size_t>(std::max(0, col - apart_px));
      const auto right = static_cast<std::size_t>(std::min(parts.cols, col + apart_px + 1));
      if (sums[right] > sums[left]) return true;
    }
    band.add(row - apart_px, -1);
  }
  return false;
}

}  // namespace

PartCounts count_parts(const std::vector<LabelImage>& labels, const std::vector<LabelImage>& parts,
                       int classes) {
  if (parts.size() != labels.size()) {
    throw InputError(kKey, std::to_string(parts.size()) + " files for " +
                               std::to_string(labels.size()) + " scenes");
  }
  PartCounts counts;
  for (auto& of_part : counts) of_part.resize(static_cast<std::size_t>(classes));
  for (std::size_t scene = 0; scene < labels.size(); ++scene) {
    check(labels[scene], parts[scene]);
    for (std::size_t i = 0; i < labels[scene].classes.size(); ++i) {
      const std::uint8_t label = labels[scene].classes[i], part = parts[scene].classes[i];
      if (label > classes) throw Error("split", "label " + std::to_string(label) + " is no class");
      if (label > 0 && part > 0) ++counts[part - std::size_t{1}][label - std::size_t{1}];
    }
  }
  return counts;
}

bool patches_meet(const std::vector<LabelImage>& parts, const std::vector<LabelImage>& labels,
                  int reach_px) {
  for (std::size_t scene = 0; scene < parts.size(); ++scene) {
    if (meet(parts[scene], labels[scene], 2 * reach_px)) return true;
  }
  return false;
}

}  // namespace oida
