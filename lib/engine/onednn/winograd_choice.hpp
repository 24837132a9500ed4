#pragma once
// Where the Winograd kernels can run.

namespace oida::onednn {

/// True when this CPU has what the kernels are compiled for and the library's dispatch may use it.
bool winograd_runs_here();

}  // namespace oida::onednn
