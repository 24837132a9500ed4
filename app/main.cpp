#include <iostream>
#include <string>
#include <vector>

#include <malloc.h>

#include "comm/comm.hpp"
#include "commands.hpp"
#include "stop_signal.hpp"

namespace {

/// Blocks from 128 kB on are mapped one by one and go back to the system when they are freed. Left
/// to itself the C library moves that limit up to 32 MB as such blocks are freed (mallopt(3));
/// those of checkpoints would then leave holes in the heap, more from one to the next.
void map_large_blocks() {
  constexpr int kLarge_bytes = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, kLarge_bytes);
  mallopt(M_TRIM_THRESHOLD, kLarge_bytes);
}

oida::Exit run(oida::Runtime& runtime, const std::vector<std::string>& arguments) {
  try {
    return oida::app::dispatch(runtime, arguments);
  } catch (const oida::AgreedError& error) {
    const bool speaks = runtime.comm().rank() == 0 && !error.message().empty();
    if (speaks) std::cerr << "oida: error: " << error.what() << std::endl;
    return error.exit();
  } catch (const oida::Error& error) {
    std::cerr << "oida: error: " << error.what() << std::endl;
    runtime.abort(error.exit());
  } catch (const std::exception& error) {
    std::cerr << "oida: error: internal: " << error.what() << std::endl;
    runtime.abort(oida::Exit::failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  map_large_blocks();
  oida::app::block_stop_signals();
  try {
    oida::Runtime runtime(argc, argv);
    const oida::Exit exit = run(runtime, {argv + 1, argv + argc});
    runtime.finish();
    return static_cast<int>(exit);
  } catch (const std::exception& error) {
    std::cerr << "oida: error: " << error.what() << std::endl;
    return static_cast<int>(oida::Exit::failed);
  }
}
