#pragma once
// What inspect finds out about the matrices of a scene.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/label_fit.hpp"
#include "data/scene_source.hpp"

namespace oida::app {

/// Power of one diagonal element (of S2: of one channel) over valid pixels.
struct PowerRange {
  double mean = 0, least = 0, most = 0;
};

struct Audit {
  Defects defects;
  std::map<std::string, PowerRange> power;  // by diagonal element or channel
  std::optional<double> reciprocity;        // of S2: <|HV - VH|^2> / <|HV|^2 + |VH|^2>
  double read_s = 0;
  std::int64_t read_bytes = 0;
};

/// Looks at every pixel, strip by strip; `fit` sees them too.
Audit audit_scene(SceneSource& scene, LabelFit& fit);

/// What a user should look into before training: one line each.
std::vector<std::string> findings(MatrixKind kind, const Audit& audit);

}  // namespace oida::app
