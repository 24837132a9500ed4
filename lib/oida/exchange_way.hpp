#pragma once
// Which way the sum of all units takes.

#include <functional>
#include <string>

#include "comm/comm.hpp"
#include "engine/device_sum.hpp"

namespace oida {

/// Collective: whether all units have `own`, have joined by one way of its own or else by an MPI
/// that takes device memory, and a sum over them came out right on each. Where a way was tried and
/// does not work, `say`, which may be empty, is given a line with the reason of the lowest unit
/// that has one.
bool sums_on_devices(Comm& comm, DeviceSum* own,
                     const std::function<void(const std::string&)>& say);

}  // namespace oida
