#pragma once
// File names of checkpoints: round-N.h5, round-N.unit-R.h5, and either with ".part" while written.

#include <cstdint>
#include <string>
#include <vector>

namespace oida {

inline constexpr int kCommon = -1;

struct CheckpointName {
  std::int64_t round = 0;
  int unit = kCommon;
  bool part = false;

  bool operator==(const CheckpointName&) const = default;
};

std::string to_string(const CheckpointName& name);

/// Of the files in `folder` that are called so; none when the folder is not there.
std::vector<CheckpointName> checkpoint_names(const std::string& folder);

}  // namespace oida
