#include "data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "data/block_plan.hpp"
#include "data/split_file.hpp"

namespace oida {
namespace {

using Kind = SplitOptions::Kind;

constexpr std::array<Part, 3> kParts = {Part::training, Part::validation, Part::test};
constexpr std::array<const char*, 3> kPartNames = {"training", "validation", "test"};
constexpr std::size_t kTraining = 0, kValidation = 1, kTest = 2, kUnused = 3;

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Samples of one class that are still to be dealt out, by part; the last entry is left unused.
/// Each sample in turn falls to a part with the probability of its remaining share, which chooses
/// exactly the wanted numbers uniformly without storing a sample (Knuth, The Art of Computer
/// Programming 2, algorithm 3.4.2 S).
class Deal {
 public:
  Deal(std::array<std::int64_t, 4> quota, Random random)
      : left_(quota),
        total_(std::accumulate(quota.begin(), quota.end(), std::int64_t{0})),
        random_(random) {}

  std::size_t next() {
    std::size_t part = 0;
    std::int64_t ticket = settled() ? 0 : random_.below(static_cast<std::uint32_t>(total_));
    while (ticket >= left_[part]) ticket -= left_[part++];
    --left_[part];
    --total_;
    return part;
  }

 private:
  bool settled() const { return *std::max_element(left_.begin(), left_.end()) == total_; }

  std::array<std::int64_t, 4> left_;
  std::int64_t total_;
  Random random_;
};

/// Pixels from a centre to the last one that its patch depends on.
int reach_px(const SplitOptions& options) {
  return options.patch_px / 2 + options.halo_px;
}

/// What a class of `n` samples gives to each part.
std::array<std::int64_t, 4> quota(std::int64_t n, Part part, const SplitOptions& options) {
  std::array<std::int64_t, 4> quota{};
  quota[static_cast<std::size_t>(part)] = n;
  if (options.kind == Kind::random) {
    quota[kTest] = std::llround(options.test_share * static_cast<double>(n));
    const std::int64_t rest = n - quota[kTest];
    const auto wanted = std::llround(options.validation_share * static_cast<double>(rest));
    quota[kValidation] = std::min<std::int64_t>(wanted, rest / 2);
    quota[kTraining] = rest - quota[kValidation];
  }
  if (options.max_per_class > 0 && quota[kTraining] > options.max_per_class) {
    quota[kUnused] = quota[kTraining] - options.max_per_class;
    quota[kTraining] = options.max_per_class;
  }
  return quota;
}

void check_share(const char* key, double share) {
  if (share >= 0.0 && share < 1.0) return;
  throw InputError(key, std::to_string(share) + "; allowed: 0 and more, below 1");
}

void check(const SplitOptions& options) {
  check_share("data.test_share", options.test_share);
  check_share("data.validation_share", options.validation_share);
  if (options.buffer_px < -1) {
    throw InputError("data.buffer_px",
                     std::to_string(options.buffer_px) + "; allowed: auto, or 0 and more");
  }
  if (options.patch_px < 1) {
    throw InputError("data.patch_px", std::to_string(options.patch_px) + "; allowed: 1 and more");
  }
  const int least = 2 * buffer_px(options) + 1;
  if (options.block_px < least) {
    throw InputError("data.block_px", std::to_string(options.block_px) +
                                          " px; allowed: " + std::to_string(least) +
                                          " and more, so that the buffer leaves a centre");
  }
}

BlockPlan make_plan(const std::vector<LabelImage>& labels, int classes,
                    const SplitOptions& options) {
  BlockPlan plan(labels, classes, options.block_px, buffer_px(options));
  if (options.kind == Kind::random || options.kind == Kind::file) return plan;
  if (options.kind == Kind::checkerboard) plan.test_checkerboard();
  if (options.kind == Kind::blocks) plan.test_random(options.test_share, options.seed);
  plan.validate_random(options.validation_share, options.seed);
  return plan;
}

/// One deal a part of the blocks and class: [part][class].
std::array<std::vector<Deal>, 3> make_deals(const BlockPlan& plan, const SplitOptions& options,
                                            Split& split) {
  std::array<std::vector<Deal>, 3> deals;
  for (const Part part : kParts) {
    const auto totals = plan.totals(part);
    for (auto& counts : split.counts) counts.resize(totals.size());
    for (std::size_t c = 0; c < totals.size(); ++c) {
      if (totals[c] > 0xffffffffLL) {
        throw InputError("scene.labels", "over 4294967295 labelled pixels of one class");
      }
      const auto wanted = quota(totals[c], part, options);
      for (std::size_t p = 0; p < 3; ++p) split.counts[p][c] += wanted[p];
      deals[static_cast<std::size_t>(part)].emplace_back(wanted,
                                                         Random(options.seed, Purpose::limit, c));
    }
  }
  return deals;
}

/// Of a split by file: training samples up to the limit, all others.
std::vector<Deal> make_limits(const PartCounts& counts, const SplitOptions& options, Split& split) {
  std::vector<Deal> limits;
  split.counts = counts;
  for (std::size_t c = 0; c < counts[kTraining].size(); ++c) {
    const auto wanted = quota(counts[kTraining][c], Part::training, options);
    split.counts[kTraining][c] = wanted[kTraining];
    limits.emplace_back(wanted, Random(options.seed, Purpose::limit, c));
  }
  return limits;
}

/// `drawn`: the image that says each pixel's part, or null where the deals do.
void deal_block(const BlockPlan& plan, std::size_t block, const LabelImage& image,
                const LabelImage* drawn, std::vector<Deal>& deals,
                const std::array<std::vector<Sample>*, 3>& parts) {
  const Window centres = plan.centres(block);
  for (int row = centres.row; row < centres.row + centres.rows; ++row) {
    for (int col = centres.col; col < centres.col + centres.cols; ++col) {
      const std::uint8_t label = image.at(row, col);
      if (label == 0 || (drawn != nullptr && drawn->at(row, col) == 0)) continue;
      const auto index = static_cast<std::uint8_t>(label - 1);
      const std::size_t own = drawn == nullptr ? kTraining : drawn->at(row, col) - std::size_t{1};
      const std::size_t part = own == kTraining ? deals[index].next() : own;
      if (part == kUnused) continue;
      parts[part]->push_back({static_cast<std::uint32_t>(block), row, col, index});
    }
  }
}

void refuse_empty(const Split& split, const SplitOptions& options) {
  const std::array<bool, 3> needed = {
      true, options.validation_share > 0.0 && options.kind != Kind::file,
      options.kind == Kind::checkerboard || options.kind == Kind::file || options.test_share > 0.0};
  for (std::size_t part = 0; part < 3; ++part) {
    if (!needed[part] || sum(split.counts[part]) > 0) continue;
    if (options.kind == Kind::file) {
      throw InputError("data.split_file", std::string("draws no ") + kPartNames[part] +
                                              " samples on labelled, valid pixels");
    }
    throw InputError("data.split", to_string(options.kind) + " in blocks of " +
                                       std::to_string(options.block_px) + " px with a buffer of " +
                                       std::to_string(buffer_px(options)) + " px leaves no " +
                                       kPartNames[part] +
                                       " samples; try smaller data.block_px or data.patch_px");
  }
}

void warn_of_missing(Split& split, const std::vector<std::string>& names) {
  for (std::size_t c = 0; c < split.counts[kTraining].size(); ++c) {
    std::string missing;
    if (split.counts[kTraining][c] == 0) missing = "training";
    if (split.counts[kTest][c] == 0) missing += missing.empty() ? "test" : " and no test";
    const std::string name = c < names.size() ? names[c] : std::to_string(c + 1);
    if (missing.empty()) continue;
    split.warnings.push_back("class '" + name + "' has no " + missing +
                             " samples: left out of AA, F1 and mIoU");
  }
}

void warn_of_little_validation(Split& split, const SplitOptions& options) {
  const std::int64_t validation = sum(split.counts[kValidation]);
  const std::int64_t side = validation + sum(split.counts[kTraining]);
  const bool limited =
      options.max_per_class > 0 || options.kind == Kind::random || options.kind == Kind::file;
  const double share = static_cast<double>(validation) / static_cast<double>(side);
  if (limited || share >= 0.5 * options.validation_share) return;
  const auto percent = [](double part) { return std::to_string(std::lround(100.0 * part)) + " %"; };
  split.warnings.push_back("validation has " + percent(share) +
                           " of the training side instead of " + percent(options.validation_share) +
                           ": every other block holds over half of a class");
}

}  // namespace

SplitOptions::Kind split_kind(const std::string& name) {
  for (const Kind kind : {Kind::blocks, Kind::checkerboard, Kind::random, Kind::file}) {
    if (name == to_string(kind)) return kind;
  }
  throw InputError("data.split",
                   "'" + name + "' is unknown; allowed: blocks, checkerboard, random, file");
}

std::string to_string(SplitOptions::Kind kind) {
  switch (kind) {
    case Kind::blocks:
      return "blocks";
    case Kind::checkerboard:
      return "checkerboard";
    case Kind::random:
      return "random";
    case Kind::file:
      return "file";
  }
  throw Error("data.split", "a kind out of range");
}

int buffer_px(const SplitOptions& options) {
  if (options.kind == Kind::random || options.kind == Kind::file) return 0;
  return options.buffer_px == -1 ? reach_px(options) : options.buffer_px;
}

Split make_split(const std::vector<LabelImage>& labels, int classes, const SplitOptions& options,
                 const std::vector<std::string>& names,
                 const std::vector<LabelImage>& parts_drawn) {
  check(options);
  const bool by_file = options.kind == Kind::file;
  const BlockPlan plan = make_plan(labels, classes, options);
  Split split;
  split.kind = options.kind;
  split.pixels_shared = options.kind == Kind::random || buffer_px(options) < reach_px(options);
  split.blocks = plan.blocks();
  auto deals = by_file ? std::array<std::vector<Deal>, 3>{} : make_deals(plan, options, split);
  if (by_file) {
    deals[kTraining] = make_limits(count_parts(labels, parts_drawn, classes), options, split);
  }
  refuse_empty(split, options);

  const std::array<std::vector<Sample>*, 3> parts = {&split.training, &split.validation,
                                                     &split.test};
  for (std::size_t part = 0; part < 3; ++part) {
    parts[part]->reserve(static_cast<std::size_t>(sum(split.counts[part])));
  }
  for (std::size_t block = 0; block < split.blocks.size(); ++block) {
    const Block& at = split.blocks[block];
    const auto scene = static_cast<std::size_t>(at.scene);
    deal_block(plan, block, labels[scene], by_file ? &parts_drawn[scene] : nullptr,
               deals[static_cast<std::size_t>(at.part)], parts);
  }
  if (by_file) split.pixels_shared = patches_meet(parts_drawn, labels, reach_px(options));
  warn_of_missing(split, names);
  warn_of_little_validation(split, options);
  return split;
}

}  // namespace oida
