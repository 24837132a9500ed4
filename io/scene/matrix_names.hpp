#pragma once
// Which matrix a set of named rasters makes up.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/plane.hpp"

namespace oida {

/// A raster and the planes of the matrix it fills; `imaginary` is -1 for a real raster.
struct NamedPart {
  std::string name;
  int real = 0;
  int imaginary = -1;
};

/// The rasters of a kind by PolSARpro's names: s11 s12 s21 s22 (complex), else elements(kind).
std::vector<NamedPart> parts_of(MatrixKind kind);

struct NamedMatrix {
  MatrixKind kind = MatrixKind::t3;
  ChannelPair pair = ChannelPair::none;
  bool amplitude_pair = false;  // see SceneLayout
  std::vector<NamedPart> parts;
};

/// Every name that match_names() looks for.
std::vector<std::string> known_names();

/// Of the kinds that `names` hold whole, the first of T4, C4, T3, C3, S2, C2, and last two
/// amplitudes. S2 and amplitudes may be complex (s11 or HH ...) or pairs of real rasters (i_HH,
/// q_HH, as SNAP names them). A part's name is the one in `names`.
std::optional<NamedMatrix> match_names(const std::vector<std::string>& names);

/// The matrix of complex rasters of these polarisations ("HH", ...), in any order: S2 of all four,
/// C2 of HH HV, HH VH, VV VH, VV HV or HH VV. InputError naming `path` for others.
NamedMatrix match_polarisations(const std::string& path, const std::vector<std::string>& names);

/// The scene of a matrix: `open` gives the channel of a part's name (its plane and calibration).
using OpenPart = std::function<Channel(const std::string& name)>;
SceneLayout layout_of(const NamedMatrix& matrix, SceneInfo info, const OpenPart& open);

}  // namespace oida
