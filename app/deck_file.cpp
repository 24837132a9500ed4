#include "deck_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "command_line.hpp"
#include "core/error.hpp"
#include "io/files.hpp"

namespace po = boost::program_options;

namespace oida::app {

namespace {

/// Boost cuts a line at every '#'; one inside a value travels as this character.
constexpr char kHash = '\x01';

std::string expand(const std::string& line, const std::string& file) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t end = line.compare(i, 2, "${") == 0 ? line.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      text += line[i++];
      continue;
    }
    const std::string name = line.substr(i + 2, end - i - 2);
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) throw InputError(file, "environment variable " + name + " is not set");
    text += value;
    i = end + 1;
  }
  return text;
}

std::string read_ini(const std::string& file) {
  std::istringstream stream(read_text_file(file));
  std::string text;
  std::string line;
  while (std::getline(stream, line)) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    for (char c : expand(line, file)) {
      if (c != '\r') text += c == '#' ? kHash : c;
    }
    text += '\n';
  }
  return text;
}

void restore_hashes(po::parsed_options& parsed) {
  for (auto& option : parsed.options) {
    for (auto& value : option.value) {
      for (char& c : value) {
        if (c == kHash) c = '#';
      }
    }
  }
}

constexpr const char* kBase = "deck.base";
constexpr int kMostBases = 8;

/// Stores one deck; returns the one that it starts from, empty where there is none.
std::string store_one(const std::string& file, const po::options_description& options,
                      po::variables_map& values) {
  po::options_description all;
  all.add(options).add_options()(kBase, po::value<std::string>());
  std::istringstream ini(read_ini(file));
  auto parsed = po::parse_config_file(ini, all);
  restore_hashes(parsed);
  std::string base;
  for (const auto& option : parsed.options) {
    if (option.string_key == kBase) base = option.value.front();
  }
  std::erase_if(parsed.options, [](const auto& option) { return option.string_key == kBase; });
  po::store(parsed, values);
  if (base.empty()) return "";
  return (std::filesystem::path(file).parent_path() / base).string();
}

}  // namespace

void store_deck(const std::string& file, const po::options_description& options,
                po::variables_map& values) {
  std::string next = file;
  for (int decks = 0; !next.empty(); ++decks) {
    if (decks > kMostBases) throw InputError(kBase, "decks that start from each other: " + next);
    const std::string current = next;
    try {
      next = store_one(current, options, values);
    } catch (const po::error& error) {
      rethrow(error, current);
    }
  }
  try {
    po::notify(values);
  } catch (const po::error& error) {
    rethrow(error, file);
  }
}

}  // namespace oida::app
