// Writes the seeds of each target to FOLDER/TARGET/N. usage: fuzz_corpus FOLDER

#include <iostream>

#include "fuzz/targets.hpp"
#include "io/testing.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_corpus FOLDER\n";
    return 2;
  }
  for (const auto& target : oida::fuzz::targets()) {
    int number = 0;
    for (const auto& seed : target.seeds()) {
      const std::string folder = std::string(argv[1]) + "/" + target.name;
      oida::testing::write_text(folder + "/" + std::to_string(number++), seed);
    }
  }
}
