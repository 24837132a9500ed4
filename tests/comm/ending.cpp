// A job that ends as it is told to; ending_test.sh looks at it from outside.
//   ending finish CODE   all ranks return CODE after Runtime::finish()
//   ending abort CODE    the last rank aborts while the others wait for it
//   ending stall CODE    the last rank sleeps, the others have two seconds of patience

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <unistd.h>

#include "comm/comm.hpp"

namespace {

int run(int argc, char** argv) {
  oida::Runtime runtime(argc, argv);
  oida::Comm& comm = runtime.comm();
  if (argc != 3) return 3;
  const std::string mode = argv[1];
  const int code = std::atoi(argv[2]);
  const bool last = comm.rank() == comm.size() - 1;
  std::vector<float> values(1'000'000, 1.0F);
  const auto exchange = comm.make_exchange();
  exchange->start(values);  // connects each rank with each other
  exchange->finish();
  if (mode == "abort" && last) runtime.abort(static_cast<oida::Exit>(code));
  if (mode == "stall") {
    comm.set_stall_timeout(2.0);
    comm.set_stall_moment("in round 7", static_cast<oida::Exit>(code));
    if (last) sleep(60);
    exchange->start(values);
    exchange->finish();
  }
  if (mode == "abort") comm.barrier();
  runtime.finish();
  if (comm.rank() == 0) std::puts("finished");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ending: %s\n", e.what());
    return 4;
  }
}
