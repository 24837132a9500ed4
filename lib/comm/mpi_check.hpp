#pragma once
// Every MPI return value passes through here. The project's one include of mpi.h's C interface
// starts in this room's .cpp and internal .hpp files; comm.hpp and exchange.hpp stay free of it.

#include <span>

#include <mpi.h>

namespace oida {

/// Throws an Error that names the operation and MPI's own text. Failures of the transport, which is
/// what a lost peer looks like, carry Exit::again, wrong calls Exit::failed.
void check_mpi(int code, const char* operation);

/// The same after MPI_Testall and MPI_Testsome, whose reason may stand in one of the statuses.
void check_mpi(int code, std::span<const MPI_Status> statuses, const char* operation);

}  // namespace oida
