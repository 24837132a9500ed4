#pragma once
// Ranks: start, end, collective operations of set-up, agreement on errors. The only room with MPI.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/mailbox.hpp"
#include "core/error.hpp"

namespace oida {

/// Where one rank runs.
struct Placement {
  int rank = 0;
  std::string host;
  int node = 0;            // index of the host, in order of first rank
  int node_rank = 0;       // among the ranks of its host
  int node_ranks = 1;      // ranks on its host
  std::vector<int> cores;  // that the rank may run on
};

/// All ranks of the job. Every member is collective unless it says otherwise: all ranks call it in
/// the same order. Waiting ranks give their core away instead of spinning. A transport that fails
/// throws an Error with Exit::again.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;  // not collective
  virtual int size() const = 0;  // not collective

  virtual void barrier() = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// In place, same bits on every rank.
  virtual void sum(std::span<double> values) = 0;
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void maximum(std::span<double> values) = 0;
  /// Every rank's text, in rank order, on rank 0; empty elsewhere.
  virtual std::vector<std::string> gather(const std::string& text) = 0;
  virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes) = 0;
  virtual std::string broadcast(const std::string& text, int root) = 0;
  /// Every rank's text, in rank order, on every rank.
  virtual std::vector<std::string> all_gather(const std::string& text) = 0;

  virtual const std::vector<Placement>& placement() const = 0;  // not collective
  /// A second set of channels for the training loop; lives no longer than the Comm. All ranks give
  /// the same options.
  virtual std::unique_ptr<Exchange> make_exchange(const ExchangeOptions& options = {}) = 0;
  /// Lines between rank 0 and the others, for messages of `floats`; lives no longer than the Comm.
  virtual std::unique_ptr<Mailbox> make_mailbox(std::size_t floats) = 0;
  /// Null on all ranks unless MPI says on each that it takes pointers to a GPU's memory; lives no
  /// longer than the Comm.
  virtual std::unique_ptr<DeviceMessages> make_device_messages() = 0;

  /// `work` is done again and again wherever this rank waits for others; it says whether anything
  /// moved. It does not itself wait for what needs this rank. An empty one ends that. Not
  /// collective.
  virtual void set_waiting_work(std::function<bool()> work) = 0;

  /// Waits longer than this end the job (under srun with 137, see Runtime::abort) with a line that
  /// names the rank that does not answer, its host, the moment and the operation; 0 = wait for
  /// ever. Not collective.
  virtual void set_stall_timeout(double seconds) = 0;
  /// The moment ("in round 12") that the line names, and the exit code of a job that ends so; by
  /// default Exit::failed. Not collective.
  virtual void set_stall_moment(const std::string& moment, Exit exit) = 0;

  template <typename T>
  void broadcast_values(std::vector<T>& values, int root) {
    broadcast(std::as_writable_bytes(std::span(values)), root);
  }
};

/// MPI from start to end. One a process.
class Runtime {
 public:
  /// Error when MPI cannot start.
  Runtime(int& argc, char**& argv);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  Comm& comm();
  /// Ends MPI in step with all ranks; afterwards no communication is possible. When all ranks then
  /// return one code from main, mpiexec and srun pass it on; hydra prints nothing for it.
  void finish();
  /// Ends all ranks at once. Under mpiexec the job ends with this code and without a banner. srun
  /// kills the step and ends with 137 whatever the code.
  [[noreturn]] void abort(Exit code);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A collective moment: if any rank brings an error, all ranks throw the one of the lowest such
/// rank.
void agree(Comm& comm, const std::optional<Error>& error);

/// Runs `work` (no collective call inside) on this rank, then agrees on its error.
template <typename Work>
auto collectively(Comm& comm, Work&& work) {
  using Result = decltype(work());
  std::optional<Error> error;
  if constexpr (std::is_void_v<Result>) {
    try {
      work();
    } catch (const Error& e) {
      error = e;
    } catch (const std::exception& e) {
      error = Error("internal", e.what());
    }
    agree(comm, error);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(work());
    } catch (const Error& e) {
      error = e;
    } catch (const std::exception& e) {
      error = Error("internal", e.what());
    }
    agree(comm, error);
    return std::move(*result);
  }
}

/// N copies that a launcher started without joining them into one job: each sees `ranks` = 1 while
/// the launcher's variables (SLURM_STEP_NUM_TASKS and the like) say more. Not collective.
std::optional<Error> singleton_error(int ranks);

/// "MPICH 4.0.2" and the like.
std::string mpi_version();

}  // namespace oida
