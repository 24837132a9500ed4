// oida report: tables and figures over many runs.

#include "command_line.hpp"
#include "commands.hpp"
#include "io/report/study.hpp"

namespace po = boost::program_options;

namespace oida::app {

namespace {

struct ReportCommand {
  std::vector<std::string> runs;
  std::string out;
  StudyOptions study;
  bool help = false;
};

po::options_description report_flags(ReportCommand& command) {
  po::options_description flags("oida report RUN... --out DIR", 100, 50);
  flags.add_options()("out", po::value(&command.out), "folder for tables, page and figures")(
      "title", po::value(&command.study.title), "heading of the page")(
      "kind", po::value(&command.study.kind),
      "auto | strong (same batch over all units) | weak (same batch a unit)")(
      "baseline", po::value(&command.study.baseline),
      "run or point that speed-up and saved time refer to; else the fewest units, CPU first")(
      "help", "this text")("RUN", po::value(&command.runs),
                           "run directories: finished, failed, unfinished or never started");
  return flags;
}

ReportCommand read_command(const Arguments& arguments) {
  ReportCommand command;
  const auto flags = report_flags(command);
  const auto values = parse_command_line(arguments, flags, {"RUN"}, kRepeatLast);
  command.help = values.count("help") > 0;
  if (command.help) return command;
  po::variables_map taken = values;
  po::notify(taken);
  if (command.runs.empty() || command.out.empty()) {
    throw InputError("command line", "report needs run directories and --out DIR");
  }
  const std::string& kind = command.study.kind;
  if (kind != "auto" && kind != "strong" && kind != "weak") {
    throw InputError("kind", "'" + kind + "' is not one of auto | strong | weak");
  }
  return command;
}

std::string help() {
  ReportCommand unused;
  return to_text(report_flags(unused));
}

}  // namespace

Exit report(Comm& comm, const Arguments& arguments) {
  const auto command = collectively(comm, [&] { return read_command(arguments); });
  if (command.help) {
    say(comm, help());
    return Exit::done;
  }
  const auto counts = collectively(comm, [&] {
    return comm.rank() == 0 ? write_study(command.runs, command.study, command.out) : StudyCounts{};
  });
  say(comm, std::to_string(counts.finished) + " of " + std::to_string(counts.runs) +
                " runs finished: " + command.out + "/scaling.md, scaling.csv, scaling.html\n");
  const bool empty = comm.rank() == 0 && counts.finished == 0;
  collectively(comm, [&] {
    if (empty) throw Error(command.out, "none of the runs has a result");
  });
  return Exit::done;
}

}  // namespace oida::app
