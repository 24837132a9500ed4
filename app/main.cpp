#include <iostream>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "commands.hpp"
#include "stop_signal.hpp"

namespace {

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
