#pragma once
// Complex products of satellites whose folders hold one GeoTIFF a polarisation and XML beside: S2
// of four polarisations, C2 of two.

#include <memory>
#include <string>

#include "data/scene_source.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// GF-3 L1A: GF3*.meta.xml or its folder. S = DN x QualifyValue / 32767 x
/// 10^(-CalibrationConst/20), both of the polarisation. Source: GF-3 user manual; the same in
/// SNAP's Gaofen-3 reader.
bool is_gaofen3(const std::string& path);
std::unique_ptr<SceneSource> open_gaofen3(const std::string& path, const SceneOptions& options);

/// RCM SLC: the product's folder or its metadata/product.xml; imagery/*_HH.tif, sigma nought by
/// metadata/calibration/lutSigma_HH.xml: S = DN / gain of the column.
/// Source: RCM Image Product Format Definition, section 7.5.
bool is_rcm(const std::string& path);
std::unique_ptr<SceneSource> open_rcm(const std::string& path, const SceneOptions& options);

/// SAOCOM L1A: NAME.xemt, or a folder with just one, beside NAME/Data or Data, whose images have no
/// ending and carry their polarisation in the name (slc-...-hh-...). Not calibrated: the notes say
/// so.
/// Source: CONAE, SAOCOM-1 Level 1 Product Format.
bool is_saocom(const std::string& path);
std::unique_ptr<SceneSource> open_saocom(const std::string& path, const SceneOptions& options);

/// BIOMASS L1a (SCS): the product's folder. Bands of measurement/*_i_abs.tiff and *_i_phase.tiff in
/// the order of polarisationList in annotation/*_annot.xml, times sigmaNought of
/// annotation/*_lut.nc interpolated over the image; -9999 is no data. Source: ESA, BIOMASS Level 1
/// Product Format Specification; the factor as in polsartools.
bool is_biomass(const std::string& path);
std::unique_ptr<SceneSource> open_biomass(const std::string& path, const SceneOptions& options);

}  // namespace oida
