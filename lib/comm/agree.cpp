#include <array>
#include <charconv>
#include <string>

#include "comm/comm.hpp"

namespace oida {

void agree(Comm& comm, const std::optional<Error>& error) {
  // The maximum over minus the failing ranks is the lowest one; without any, minus the size.
  std::array<double, 1> lowest{-static_cast<double>(error ? comm.rank() : comm.size())};
  comm.maximum(lowest);
  const int failing = static_cast<int>(-lowest[0]);
  if (failing == comm.size()) return;
  std::string text;
  if (comm.rank() == failing) {
    text = std::to_string(static_cast<int>(error->exit())) + ' ' + error->message();
  }
  text = comm.broadcast(text, failing);
  const std::size_t space = text.find(' ');
  int code = 0;
  std::from_chars(text.data(), text.data() + space, code);
  throw AgreedError(text.substr(space + 1), static_cast<Exit>(code));
}

}  // namespace oida
