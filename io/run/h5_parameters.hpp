#pragma once
// A network's flat parameter array as named HDF5 datasets <group>/<layer>/weight|bias.

#include <span>
#include <string>
#include <vector>

#include "io/h5.hpp"
#include "nn/network.hpp"

namespace oida {

void write_parameters(H5Out& file, const std::string& group, const Network& network,
                      std::span<const float> values);
/// Refused when an array is missing, damaged or of other dimensions than the network's.
std::vector<float> read_parameters(const H5In& file, const std::string& group,
                                   const Network& network);

}  // namespace oida
