#pragma once
// Comm by MPI, on a communicator of its own. Every operation is a non-blocking one that is polled.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <mpi.h>

#include "comm/channel.hpp"
#include "comm/comm.hpp"
#include "comm/patience.hpp"
#include "comm/roll_call.hpp"

namespace oida {

class MpiComm final : public Comm {
 public:
  /// Duplicates `parent` and finds the placement; collective.
  explicit MpiComm(MPI_Comm parent);

  int rank() const override { return stall_.rank; }
  int size() const override { return size_; }

  void barrier() override;
  void broadcast(std::span<std::byte> bytes, int root) override;
  void sum(std::span<double> values) override;
  void sum(std::span<std::int64_t> values) override;
  void maximum(std::span<double> values) override;
  std::vector<std::string> gather(const std::string& text) override;
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes) override;
  std::string broadcast(const std::string& text, int root) override;
  std::vector<std::string> all_gather(const std::string& text) override;

  const std::vector<Placement>& placement() const override { return placement_; }
  std::unique_ptr<Exchange> make_exchange(const ExchangeOptions& options) override;
  std::unique_ptr<Mailbox> make_mailbox(std::size_t floats) override;
  std::unique_ptr<DeviceMessages> make_device_messages() override;
  void set_waiting_work(std::function<bool()> work) override {
    stall_.waiting_work = std::move(work);
  }
  void set_stall_timeout(double seconds) override { stall_.timeout_s = seconds; }
  void set_stall_moment(const std::string& moment, Exit exit) override {
    stall_.moment = moment;
    stall_.exit = exit;
  }
  /// Takes in messages that nobody waits for; before MPI ends.
  void clear() { roll_call_->listen(); }

 private:
  MPI_Comm duplicate(MPI_Comm parent, const char* operation);
  void wait(MPI_Request request, const char* operation) {
    wait_all({&request, 1}, stall_, operation);
  }
  void reduce(void* values, std::size_t count, MPI_Datatype type, MPI_Op op, const char* operation);
  std::vector<std::uint64_t> gather_sizes(std::uint64_t own);
  int node_leader();
  void find_placement();
  std::unique_ptr<Channel> take_channel(int ranks_per_node, std::size_t floats);
  std::unique_ptr<Channel> new_channel(int ranks_per_node, std::size_t floats);
  MPI_Comm node_comm(int ranks_per_node);
  bool shared_memory_suffices(int ranks_per_node, std::size_t floats);

  MPI_Comm comm_ = MPI_COMM_NULL;
  Stall stall_;
  int size_ = 1;
  std::vector<Placement> placement_;
  std::unique_ptr<RollCall> roll_call_;
  std::map<int, MPI_Comm> node_comms_;              // by ranks_per_node
  std::vector<std::unique_ptr<Channel>> channels_;  // of exchanges that are gone, to be used again
  int channels_made_ = 0;
};

}  // namespace oida
