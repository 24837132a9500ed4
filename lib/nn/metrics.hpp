#pragma once
// Accuracy of a classification from its confusion matrix.

#include <cstdint>
#include <span>
#include <vector>

namespace oida {

/// Rows: true class, columns: predicted class.
class Confusion {
 public:
  explicit Confusion(int classes);
  void add(int truth, int predicted, std::int64_t count = 1);
  std::int64_t at(int truth, int predicted) const;
  int classes() const { return classes_; }
  /// [classes, classes] row-major; may be added up over ranks.
  std::span<std::int64_t> counts() { return counts_; }
  std::span<const std::int64_t> counts() const { return counts_; }
  std::int64_t total() const;

 private:
  int classes_;
  std::vector<std::int64_t> counts_;
};

/// Per class; NaN where the class has no true sample (recall, iou, f1 are then left out of means).
/// Precision is 0 where a class was never predicted.
struct ClassScore {
  std::int64_t samples = 0;
  double recall = 0, precision = 0, f1 = 0, iou = 0;
};

/// `average` means over classes that have test samples and, by `trained`, training samples.
/// NaN where undefined: everything without samples, kappa when one class is all there is.
struct Scores {
  std::int64_t n = 0;
  double oa = 0;     // overall accuracy
  double aa = 0;     // average of recalls
  double kappa = 0;  // Cohen 1960
  double f1_macro = 0;
  double miou = 0;
  std::vector<ClassScore> per_class;
};

/// Hits among the test samples of one block of a split.
struct BlockScore {
  int scene = 0;
  int row = 0, col = 0, rows = 0, cols = 0;  // the block's window
  std::int64_t samples = 0;
  std::int64_t correct = 0;
};

/// Standard error of the overall accuracy where blocks, not pixels, are what was drawn: that of a
/// proportion over clusters of unequal size (Cochran, Sampling Techniques, 3rd ed., 1977, section
/// 3.12, without the finite population correction). NaN for fewer than two blocks.
double block_standard_error(std::span<const BlockScore> blocks);

/// Shannon's entropy of class probabilities over its most, log(classes): 0 where one class is sure,
/// 1 where all are alike; NaN where one is.
float relative_entropy(std::span<const float> probabilities);

Scores score(const Confusion& confusion, const std::vector<bool>& trained);

}  // namespace oida
