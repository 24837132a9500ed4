#include "engine/engine.hpp"

#include "core/error.hpp"
#include "engine/checks.hpp"
#include "engine/cuda/cuda_engine.hpp"
#include "engine/onednn/onednn_engine.hpp"
#include "engine/reference/reference_engine.hpp"

namespace oida {
namespace {

struct Maker {
  const char* kind;
  std::unique_ptr<Engine> (*make)(const Network&, const EngineOptions&);
};

constexpr Maker kMakers[] = {{"reference", make_reference_engine},
                             {"onednn", make_onednn_engine},
                             {"cuda", make_cuda_engine}};

}  // namespace

std::unique_ptr<Engine> make_engine(const Network& network, const EngineOptions& options) {
  check_options(network, options);
  std::string known;
  for (const auto& maker : kMakers) {
    if (options.kind == maker.kind) return maker.make(network, options);
    known += (known.empty() ? "" : ", ") + std::string(maker.kind);
  }
  throw InputError("device.engine", "'" + options.kind + "' is not known, allowed: " + known);
}

const Device& gpu_of(const std::vector<Device>& visible, int node_rank) {
  return visible.at(static_cast<std::size_t>(node_rank) % visible.size());
}

Batch make_batch(const Engine& engine) {
  const Shape& in = engine.network().input;
  return {engine.options().max_batch,   in.h, in.w, in.c, engine.channel_stride(),
          label_count(engine.network())};
}

}  // namespace oida
