#pragma once
// The one exception type of the project and the process exit codes it leads to.

#include <stdexcept>
#include <string>

namespace oida {

/// Exit codes of the executable; job scripts requeue on `again`.
enum class Exit : int { done = 0, failed = 1, refused = 2, again = 75 };

/// Printed as one line: "oida: error: <where>: <what>".
/// `where` names a file or a deck key, `what` says what was found and what is allowed.
class Error : public std::runtime_error {
 public:
  Error(std::string where, std::string what, Exit exit = Exit::failed)
      : std::runtime_error(where + ": " + what), exit_(exit) {}

  Exit exit() const { return exit_; }
  std::string message() const { return what(); }

  /// Rebuilds an error from the text of another process.
  static Error from_message(const std::string& message, Exit exit) { return Error(message, exit); }

 private:
  Error(const std::string& message, Exit exit) : std::runtime_error(message), exit_(exit) {}
  Exit exit_;
};

/// Bad usage, deck or input: exit code 2.
class InputError : public Error {
 public:
  InputError(std::string where, std::string what)
      : Error(std::move(where), std::move(what), Exit::refused) {}
};

/// An error that all ranks know of and throw alike: they can end in step instead of aborting.
class AgreedError : public Error {
 public:
  AgreedError(const std::string& message, Exit exit) : Error(from_message(message, exit)) {}
};

}  // namespace oida
