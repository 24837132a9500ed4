#pragma once
// The commands of the executable. Each runs on all ranks; an error that all ranks know of leaves as
// AgreedError, any other ends the job.

#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "core/error.hpp"

namespace oida::app {

using Arguments = std::vector<std::string>;

/// Finds the command in arguments[0] and runs it.
Exit dispatch(Runtime& runtime, const Arguments& arguments);

Exit train(Comm& comm, const Arguments& arguments);
Exit predict(Comm& comm, const Arguments& arguments);
Exit inspect(Comm& comm, const Arguments& arguments);
Exit report(Comm& comm, const Arguments& arguments);
Exit synth(Comm& comm, const Arguments& arguments);

/// Prints on rank 0 only.
void say(const Comm& comm, const std::string& text);

/// Refuses N singletons in place of one job of N ranks.
void require_one_job(const Comm& comm);

}  // namespace oida::app
