#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <mpi.h>

#include "comm/comm.hpp"
#include "comm/mpi_check.hpp"
#include "comm/mpi_comm.hpp"

namespace oida {
namespace {

/// UCX asks the receiver before it sends a large message, and both need polls until it has come.
/// Polls between kernels are far apart: over TCP such exchanges take half as long again
/// (perf/README.md). So where no RDMA device fetches messages by itself they are sent at once; what
/// the user has set stays.
void send_unasked_over_tcp() {
  std::error_code absent;
  const bool has_rdma = !std::filesystem::is_empty("/sys/class/infiniband", absent) && !absent;
  if (!has_rdma) ::setenv("UCX_RNDV_THRESH", "inf", 0);
}

}  // namespace

class Runtime::Impl {
 public:
  Impl(int& argc, char**& argv) {
    send_unasked_over_tcp();
    int provided = MPI_THREAD_SINGLE;
    check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_FUNNELED) {
      throw Error("mpi", "this MPI grants no threads beside the one that calls it");
    }
    check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
    comm_ = std::make_unique<MpiComm>(MPI_COMM_WORLD);
  }

  MpiComm& comm() { return *comm_; }

 private:
  std::unique_ptr<MpiComm> comm_;
};

Runtime::Runtime(int& argc, char**& argv) : impl_(std::make_unique<Impl>(argc, argv)) {}

Runtime::~Runtime() = default;

Comm& Runtime::comm() {
  return impl_->comm();
}

void Runtime::finish() {
  // The first barrier connects the pairs of ranks that it uses, the second moves only over such
  // connections: when it ends, no rank needs another's progress any more.
  comm().barrier();
  comm().barrier();
  impl_->comm().clear();
  check_mpi(MPI_Finalize(), "MPI_Finalize");
}

void Runtime::abort(Exit code) {
  end_all(static_cast<int>(code));
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string version(text.data(), static_cast<std::size_t>(length));
  // MPICH writes "MPICH Version:\t4.0.2\nMPICH Release date: ...", Open MPI "Open MPI v4.1.4, ...".
  version = version.substr(0, version.find('\n'));
  version = version.substr(0, version.find(','));
  const std::string word = " Version:";
  if (const std::size_t at = version.find(word); at != std::string::npos) {
    const std::size_t number = version.find_first_not_of(" \t", at + word.size());
    if (number == std::string::npos) return version.substr(0, at);
    version = version.substr(0, at) + ' ' + version.substr(number);
  }
  return version;
}

}  // namespace oida
