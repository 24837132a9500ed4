#include "comm/exchange.hpp"
#include "core/error.hpp"

namespace oida {

Wire wire_of(const std::string& name) {
  for (const Wire wire : {Wire::fp32, Wire::bf16, Wire::int8, Wire::int4}) {
    if (name == to_string(wire)) return wire;
  }
  throw InputError("wire", "'" + name + "' is not one of fp32, bf16, int8, int4");
}

std::string to_string(Wire wire) {
  switch (wire) {
    case Wire::fp32:
      return "fp32";
    case Wire::bf16:
      return "bf16";
    case Wire::int8:
      return "int8";
    case Wire::int4:
      return "int4";
  }
  throw Error("wire", "unknown");
}

}  // namespace oida
