#include "io/report/gnuplot.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files.hpp"

namespace oida {
namespace {

constexpr const char* kLog = "gnuplot.log";

std::string terminal(const Figure& figure, const std::string& kind, const std::string& ending) {
  return "set terminal " + kind + " size " + std::to_string(figure.width) + "," +
         std::to_string(figure.height) +
         " noenhanced font 'DejaVu Sans,13' background '#ffffff'\n" + "set output '" + figure.name +
         ending + "'\n" + figure.plot + "\n";
}

/// Where the process starts and what it writes to.
class Actions {
 public:
  explicit Actions(const std::string& folder) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, kLog, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The last line of gnuplot's messages that is not blank.
std::string last_message(const std::string& folder) {
  std::ifstream log(folder + "/" + kLog);
  std::string last;
  for (std::string line; std::getline(log, line);) {
    if (line.find_first_not_of(" \t^") != std::string::npos) last = line;
  }
  return last;
}

/// The child takes signals as any program does, whatever this process blocks.
class Attributes {
 public:
  Attributes() {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::string draw(const std::string& folder, const Figure& figure) {
  const std::string script = figure.name + ".gp";
  write_whole_file(folder + "/" + script, figure.script + terminal(figure, "svg", ".svg") +
                                              terminal(figure, "pngcairo", ".png"));
  std::string program = "gnuplot", no_start_up = "-d", argument = script;
  const std::array<char*, 4> arguments{program.data(), no_start_up.data(), argument.data(),
                                       nullptr};
  const Actions actions(folder);
  const Attributes attributes;
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, program.c_str(), actions.get(), attributes.get(),
                                   arguments.data(), environ);
  if (error == ENOENT) return "gnuplot was not found";
  if (error != 0) return "gnuplot cannot be started: " + system_error_text(error);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const std::string why = good ? "" : "gnuplot failed on " + script + ": " + last_message(folder);
  std::error_code ignored;
  std::filesystem::remove(folder + "/" + kLog, ignored);
  return why;
}

std::string gnuplot_quoted(const std::string& text) {
  std::string out = "'";
  for (const char character : text) {
    if (character == '\'') out += '\'';
    out += character == '\n' ? ' ' : character;
  }
  return out + "'";
}

}  // namespace oida
