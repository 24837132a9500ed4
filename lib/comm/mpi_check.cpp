#include "comm/mpi_check.hpp"

#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

std::string text_of(int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return std::to_string(code);
  text.resize(static_cast<std::size_t>(length));
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

Exit exit_of(int code) {
  int error_class = MPI_ERR_UNKNOWN;
  MPI_Error_class(code, &error_class);
  const bool transport = error_class == MPI_ERR_OTHER || error_class == MPI_ERR_INTERN ||
                         error_class == MPI_ERR_UNKNOWN;
  return transport ? Exit::again : Exit::failed;
}

}  // namespace

void check_mpi(int code, const char* operation) {
  if (code == MPI_SUCCESS) return;
  throw Error("mpi", std::string(operation) + " failed: " + text_of(code), exit_of(code));
}

void check_mpi(int code, std::span<const MPI_Status> statuses, const char* operation) {
  if (code == MPI_ERR_IN_STATUS) {
    for (const MPI_Status& status : statuses) {
      if (status.MPI_ERROR == MPI_ERR_PENDING) continue;
      check_mpi(status.MPI_ERROR, operation);
    }
  }
  check_mpi(code, operation);
}

}  // namespace oida
