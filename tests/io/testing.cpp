#include "io/testing.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "core/error.hpp"
#include "polsar/matrix.hpp"

namespace oida::testing {
namespace {

namespace fs = std::filesystem;

void expect_words(const Error& error, const std::vector<std::string>& words) {
  const std::string text = error.message();
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  for (const auto& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

}  // namespace

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "oida-io-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

std::string sample(const std::string& name) {
  const char* folder = std::getenv("OIDA_DATA_DIR");
  return folder == nullptr ? "" : std::string(folder) + "/" + name;
}

void write_text(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<float> read_floats(const std::string& path) {
  const std::string bytes = read_text(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::copy_n(bytes.data(), values.size() * sizeof(float), reinterpret_cast<char*>(values.data()));
  return values;
}

void write_floats(const std::string& path, const std::vector<float>& values) {
  write_text(path, std::string(reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(float)));
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

float small_value(std::size_t e, std::size_t i) {
  return static_cast<float>(100 * (e + 1) + i);
}

std::string small_header(const std::string& more) {
  return "ENVI\nsamples = 3\nlines   = 4\nbands   = 1\nheader offset = 0\n"
         "file type = ENVI Standard\ndata type = 4\ninterleave = bsq\nbyte order = 0\n" +
         more;
}

void write_small_scene(const std::string& folder) {
  for (std::size_t e = 0; e < kT3Elements.size(); ++e) {
    std::vector<float> plane(static_cast<std::size_t>(kSmallRows * kSmallCols));
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = small_value(e, i);
    const std::string path = folder + "/" + std::string(kT3Elements[e]) + ".bin";
    write_floats(path, plane);
    write_text(path + ".hdr", small_header());
  }
  write_text(folder + "/config.txt",
             "Nrow\r\n4\r\n---------\r\nNcol\r\n3\r\n---------\r\nPolarCase\r\nmonostatic\r\n");
}

std::string expect_error(const std::function<void()>& action,
                         const std::vector<std::string>& words) {
  try {
    action();
  } catch (const Error& error) {
    expect_words(error, words);
    return error.message();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

std::string expect_refusal(const std::function<void()>& action,
                           const std::vector<std::string>& words) {
  return expect_error(
      [&] {
        try {
          action();
        } catch (const Error& error) {
          EXPECT_EQ(error.exit(), Exit::refused) << error.message();
          throw;
        }
      },
      words);
}

ClassTable three_classes() {
  return {{"Water", "Stem beans", "Wheat 2"}, {{{0, 0, 255}, {255, 128, 0}, {10, 200, 30}}}};
}

}  // namespace oida::testing
