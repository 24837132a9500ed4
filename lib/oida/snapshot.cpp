#include "oida/snapshot.hpp"

#include <utility>

#include "nn/network.hpp"

namespace oida {
namespace {

std::vector<float> canonical(const Engine& engine, std::span<const float> flat) {
  std::vector<float> values(parameter_count(engine.network()));
  engine.export_flat(flat, values);
  return values;
}

}  // namespace

SharedArray shared_array(std::span<const float> flat) {
  return std::make_shared<const AlignedVector<float>>(flat.begin(), flat.end());
}

void Snapshot::copy(const std::string& name, std::span<const float> flat) {
  Copy& copy = copies_[name];
  copy.flat.assign(flat.begin(), flat.end());
  copy.taken = false;
}

void Snapshot::share(const std::string& name, SharedArray flat) {
  shared_[name] = std::move(flat);
}

Archive Snapshot::take(const Engine& engine) {
  Archive archive = std::exchange(rest_, {});
  for (auto& [name, copy] : copies_) {
    if (!std::exchange(copy.taken, true)) archive.parameters[name] = canonical(engine, copy.flat);
  }
  for (const auto& [name, flat] : shared_) archive.parameters[name] = canonical(engine, *flat);
  shared_.clear();
  return archive;
}

}  // namespace oida
