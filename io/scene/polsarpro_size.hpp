#pragma once
// How large the raw files of a PolSARpro folder are that have no header.

#include <cstdint>
#include <string>

#include "io/scene/polsarpro_config.hpp"
#include "io/scene/scene_reader.hpp"

namespace oida {

/// The size of `folder`'s rasters of `file_bytes` bytes, `pixel_bytes` a pixel, whose headers are
/// missing: from config.txt, else from a bmp quicklook of just that many pixels, else from
/// `options`. InputError naming the folder when none says it, or two disagree, or the size does not
/// fit the bytes.
PolsarproSize headerless_size(const std::string& folder, const std::string& file,
                              std::uint64_t file_bytes, std::uint64_t pixel_bytes,
                              const SceneOptions& options);

}  // namespace oida
