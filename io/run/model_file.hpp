#pragma once
// model.h5: all that predict needs, as plain HDF5; nothing of time, host, folder or restarts, so
// that equal runs give equal bytes.

#include <string>
#include <vector>

#include "data/classes.hpp"
#include "nn/network.hpp"
#include "polsar/features.hpp"
#include "polsar/normaliser.hpp"

namespace oida {

struct Model {
  Network network;
  std::vector<float> parameters;  // canonical order
  ClassTable classes;
  FeatureRecipe recipe;
  Normaliser normaliser;
  int patch_px = 0;  // side of the network's input; of a tile, where it gives each pixel its class
};

/// /parameters/<layer>/weight|bias float32 in standard order; network, classes, colours, recipe and
/// normaliser as attributes and small datasets. Written beside, synced, renamed.
void write_model(const std::string& path, const Model& model);
/// InputError naming the file when it is not such a file, is damaged, or does not fit itself.
Model read_model(const std::string& path);

}  // namespace oida
