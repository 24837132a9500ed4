// Which GPU each rank of a step would compute on, where Slurm's devices are there in name only: the
// devices of a rank are those that CUDA_VISIBLE_DEVICES names, as the CUDA runtime would list them.
// Rank 0 prints a line a rank: "HOST NODE_RANK DEVICE". Exit code 1 where a rank sees none.

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <vector>

#include "comm/comm.hpp"
#include "engine/engine.hpp"

namespace {

std::vector<oida::Device> devices_in_name() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::istringstream names(visible == nullptr ? "" : visible);
  std::vector<oida::Device> devices;
  for (std::string name; std::getline(names, name, ',');) {
    devices.push_back({static_cast<int>(devices.size()), "fake", name, 0});
  }
  return devices;
}

}  // namespace

int main(int argc, char** argv) {
  oida::Runtime runtime(argc, argv);
  oida::Comm& comm = runtime.comm();
  const auto devices = devices_in_name();
  const auto& own = comm.placement()[static_cast<std::size_t>(comm.rank())];
  const std::string device = devices.empty() ? "none" : gpu_of(devices, own.node_rank).uuid;
  bool all = true;
  const auto lines = comm.all_gather(own.host + " " + std::to_string(own.node_rank) + " " + device);
  for (const auto& line : lines) {
    if (comm.rank() == 0) std::cout << line << '\n';
    all = all && !line.ends_with("none");
  }
  runtime.finish();
  return all ? 0 : 1;
}
