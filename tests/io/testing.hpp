#pragma once
// What the tests of this room share: folders that vanish, small scenes, expected errors.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/classes.hpp"

namespace oida::testing {

/// A new empty folder, removed with all that is in it.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Path below OIDA_DATA_DIR; empty when that is not set.
std::string sample(const std::string& name);

void write_text(const std::string& path, const std::string& text);
std::string read_text(const std::string& path);
/// The floats of a raw file, read without the room under test.
std::vector<float> read_floats(const std::string& path);
void write_floats(const std::string& path, const std::vector<float>& values);
std::vector<std::string> files_in(const std::string& folder);

/// Value of element e at pixel i of the small scene.
float small_value(std::size_t e, std::size_t i);
/// A T3 folder of 4 rows x 3 cols with headers and config.txt, written without the room under test.
inline constexpr int kSmallRows = 4;
inline constexpr int kSmallCols = 3;
std::string small_header(const std::string& more = "");
void write_small_scene(const std::string& folder);

/// Text of the InputError that `action` throws; a failure when it throws none, when the text is
/// more than a line, or when one of `words` is not in it.
std::string expect_refusal(const std::function<void()>& action,
                           const std::vector<std::string>& words);
/// The same for Error of any kind.
std::string expect_error(const std::function<void()>& action,
                         const std::vector<std::string>& words);

/// Three classes with colours.
ClassTable three_classes();

}  // namespace oida::testing

#define OIDA_SAMPLE_OR_SKIP(variable, name)                 \
  const std::string variable = oida::testing::sample(name); \
  if ((variable).empty()) GTEST_SKIP() << "OIDA_DATA_DIR is not set: real scenes are not read"
