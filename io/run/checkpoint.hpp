#pragma once
// Checkpoints as HDF5 files: checkpoints/round-N.h5 (common state and manifest) beside
// round-N.unit-R.h5.

#include <memory>
#include <string>

#include "nn/network.hpp"
#include "oida/archive.hpp"

namespace oida {

/// `folder` is made when the first checkpoint is written. Every dataset carries its XXH3 checksum.
std::unique_ptr<CheckpointStore> open_checkpoints(const std::string& folder,
                                                  const Network& network);

}  // namespace oida
