#pragma once
// Scenes of multilooked covariance in formats of airborne radars.

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// UAVSAR: NAME.ann, or a folder with one, beside its grd (preferred) or mlc files: C3 with the
/// factors that the files lack; a grd lies at the centre of its first pixel.
/// An SLC stack (a folder of one .ann a polarisation beside ..._s1_1x1.slc, or the .slc of another
/// segment) is an S2, or a C2 of two polarisations.
/// Source: JPL, UAVSAR Data Format, uavsar.jpl.nasa.gov/science/documents/polsar-format.html.
bool is_uavsar(const std::string& path);
std::unique_ptr<SceneSource> open_uavsar(const std::string& path, const SceneOptions& options);

/// AIRSAR compressed Stokes matrices (.dat): T3. GDAL's AirSAR driver is not used: its Im C23 takes
/// M23 for M24.
/// Source: van Zyl, Zebker and Elachi, Radio Science 22 (1987) 529; the ten bytes of a pixel as in
/// JPL's AIRSAR integrated processor documentation.
bool is_airsar(const std::string& path);
std::unique_ptr<SceneSource> open_airsar(const std::string& path, const SceneOptions& options);

}  // namespace oida
