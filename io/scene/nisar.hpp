#pragma once
// NISAR products in HDF5: RSLC (old files: SLC), GSLC, GCOV.
// Source: NASA SDS product specifications JPL D-102268 (RSLC), D-102269 (GSLC), D-102274 (GCOV).

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

bool is_nisar(const std::string& path);

/// Frequency A, or B where there is no A. Polarisations are taken by their names. RSLC and GSLC: S2
/// of four, C2 of two. GCOV (terms without the factors of a C3): C4 of four polarisations, C3
/// where HV and VH were averaged, C2 of two; a file of powers only is said so in the notes and its
/// off-diagonal elements are zero. Pixels that the mask calls invalid (0) or outside (255) are not
/// valid.
std::unique_ptr<SceneSource> open_nisar(const std::string& path, const SceneOptions& options);

}  // namespace oida
