#pragma once
// What reads files of unknown makers, one target a kind of file: for libFuzzer, and for the test
// that replays the same damage each time.

#include <span>
#include <string>
#include <vector>

namespace oida::fuzz {

struct Target {
  const char* name;
  /// Whole inputs, the start of all damage.
  std::vector<std::string> (*seeds)();
  /// Reads the bytes as a file of its kind, or several in turn.
  void (*read)(const std::string& bytes);
};

/// deck, labels, scene, model, checkpoint. Where a kind has several files, the first bytes of the
/// input choose.
std::span<const Target> targets();

/// Whether the bytes are read as something or refused as they should be: oida::Error in one line.
/// What is wrong with it, nothing when all is well. Crashes and hangs are for the caller to see.
std::string fault(const Target& target, const std::string& bytes);

}  // namespace oida::fuzz
