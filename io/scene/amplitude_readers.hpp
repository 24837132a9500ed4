#pragma once
// Scenes of complex amplitudes, one file a polarisation: S2 of four, C2 of two.

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// Sentinel-1 SLC or GRD: a SAFE folder, its folder "measurement", or any folder of measurement
/// TIFFs (s1b-iw1-slc-vh-...-005.tiff) of one swath. A GRD is a C2 without C12. Digital numbers,
/// not calibrated: the notes say so. Source: ESA S1-RS-MDA-52-7441, Sentinel-1 Product
/// Specification.
bool is_sentinel1(const std::string& path);
std::unique_ptr<SceneSource> open_sentinel1(const std::string& path, const SceneOptions& options);

/// RADARSAT-2 SLC: product.xml or its folder, read without GDAL's RS2 driver: sigma nought by the
/// product's own look-up table, order of bands by their polarisation.
bool is_radarsat2(const std::string& path);
std::unique_ptr<SceneSource> open_radarsat2(const std::string& path, const SceneOptions& options);

/// ALOS-2 CEOS level 1.1: a folder of IMG-HH-... files; big-endian pairs of float32 behind 544
/// bytes a line; amplitudes calibrated by -83 - 32 dB.
/// Source: JAXA, ALOS-2/PALSAR-2 Level 1.1/1.5/2.1/3.1 CEOS SAR Product Format Description, and
/// JAXA's calibration result (sigma0 = 10 log10 (I^2 + Q^2) + CF - 32, CF = -83 dB).
bool is_alos2(const std::string& path);
std::unique_ptr<SceneSource> open_alos2(const std::string& path, const SceneOptions& options);

}  // namespace oida
