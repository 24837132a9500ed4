#include <array>
#include <iostream>

#include "commands.hpp"
#include "version.hpp"

namespace oida::app {

namespace {

struct Command {
  const char* name;
  const char* use;
  Exit (*run)(Comm&, const Arguments&);
};

constexpr std::array<Command, 5> kCommands = {{
    {"train", "train DECK.ini [--section.key=value ...]     train, on all ranks", train},
    {"predict", "predict MODEL.h5 SCENE --out MAP.tif         class map of a whole scene", predict},
    {"inspect", "inspect SCENE [--labels FILE] [--json]       what is this scene", inspect},
    {"synth", "synth DECK.ini                               write the deck's synthetic scene",
     synth},
    {"report", "report RUN... --out DIR                      tables and figures over many runs",
     report},
}};

std::string usage() {
  std::string text =
      "oida: trains deep networks on polarimetric SAR scenes, on one core or on many nodes\n\n";
  for (const auto& command : kCommands) text += std::string("  oida ") + command.use + "\n";
  text += "  oida --version\n\noida COMMAND --help tells more.\n";
  return text;
}

}  // namespace

void say(const Comm& comm, const std::string& text) {
  if (comm.rank() == 0) std::cout << text << std::flush;
}

void require_one_job(const Comm& comm) {
  const auto error = singleton_error(comm.size());
  if (!error) return;
  // Each of the singletons believes to be rank 0: one of them speaks.
  const char* task = std::getenv("SLURM_PROCID");
  const bool speaks = task == nullptr || std::string(task) == "0";
  throw AgreedError(speaks ? error->message() : "", error->exit());
}

Exit dispatch(Runtime& runtime, const Arguments& arguments) {
  Comm& comm = runtime.comm();
  const std::string name = arguments.empty() ? "" : arguments.front();
  if (name == "--version") {
    say(comm, version_text());
    return Exit::done;
  }
  if (name == "--help") {
    say(comm, usage());
    return Exit::done;
  }
  for (const auto& command : kCommands) {
    if (name == command.name) return command.run(comm, {arguments.begin() + 1, arguments.end()});
  }
  throw AgreedError("command line: '" + name + "' is not a command; oida --help lists them",
                    Exit::refused);
}

}  // namespace oida::app
