// How many polls 5 ms apart an exchange of a million floats takes; polls_test.sh compares.

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "comm/comm.hpp"

int main(int argc, char** argv) {
  oida::Runtime runtime(argc, argv);
  std::vector<float> values(1'000'000, 1.0F);
  const auto exchange = runtime.comm().make_exchange({.ranks_per_node = 1});
  exchange->start(values);  // connects
  exchange->finish();
  runtime.comm().barrier();
  exchange->start(values);
  int polls = 1;
  while (!exchange->poll()) {
    ++polls;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (runtime.comm().rank() == 0) std::printf("%d\n", polls);
  runtime.finish();
  return values.back() == 4.0F ? 0 : 1;
}
