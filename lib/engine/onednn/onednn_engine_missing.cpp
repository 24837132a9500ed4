// The engine where the program was built without oneDNN.

#include "core/error.hpp"
#include "engine/onednn/onednn_engine.hpp"

namespace oida {

std::unique_ptr<Engine> make_onednn_engine(const Network&, const EngineOptions&) {
  throw InputError("device.engine", "onednn: this program was built without oneDNN");
}

std::string onednn_version() {
  return "not built";
}

}  // namespace oida
