#pragma once
// What NISAR's readers share.

#include "io/scene/h5_plane.hpp"

namespace oida {

/// A group of rasters of one frequency: "/science/LSAR/GCOV/grids/frequencyA".
struct NisarGroup {
  std::string product;  // "RSLC", "SLC", "GSLC", "GCOV"
  std::string path;
};

SceneLayout nisar_covariance(const H5Product& file, const NisarGroup& group, SceneInfo info);

}  // namespace oida
