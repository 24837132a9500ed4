#include <array>
#include <cstdlib>
#include <string>

#include "comm/comm.hpp"

namespace oida {
namespace {

/// Set by launchers for each process that they start: the number of processes of the step.
constexpr std::array kSizeVariables{"SLURM_STEP_NUM_TASKS", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"};

}  // namespace

std::optional<Error> singleton_error(int ranks) {
  if (ranks > 1) return std::nullopt;
  for (const char* name : kSizeVariables) {
    const char* text = std::getenv(name);
    const long tasks = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
    if (tasks > 1) {
      return InputError("launch", std::string(name) + " is " + text +
                                      " but MPI sees 1 rank: " + text +
                                      " runs of one rank were started in place of one job; " +
                                      "use 'srun --mpi=pmi2' or the mpiexec of this MPI");
    }
  }
  return std::nullopt;
}

}  // namespace oida
