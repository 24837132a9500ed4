#include "comm/wire.hpp"

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

std::size_t wire_bytes(Wire wire, std::size_t count) {
  const std::size_t scales = divided_up(count, kWireBlock) * sizeof(float);
  switch (wire) {
    case Wire::fp32:
      return count * sizeof(float);
    case Wire::bf16:
      return count * 2;
    case Wire::int8:
      return scales + count;
    case Wire::int4:
      return scales + divided_up(count, kWirePair) * (kWirePair / 2);
  }
  throw Error("wire", "unknown");
}

}  // namespace oida
