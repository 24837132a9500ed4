#include "data/classes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "data/palette.hpp"

namespace oida {
namespace {

constexpr const char* kNamesKey = "scene.class_names";
constexpr const char* kAliasKey = "scene.class_alias";

/// What the rasters and options say about one label id.
struct Entry {
  std::string name;
  std::optional<Colour> colour;
};
using Entries = std::map<int, Entry>;

std::string listed(const Entries& entries) {
  std::string text;
  for (const auto& [id, entry] : entries) {
    if (text.find("'" + entry.name + "'") != std::string::npos) continue;
    text += (text.empty() ? "'" : ", '") + entry.name + "'";
  }
  return text;
}

std::set<int> ids_shown(const LabelRaster& raster, int ignore_label) {
  std::array<bool, 256> shown{};
  for (const std::uint8_t id : raster.ids) shown[id] = true;
  std::set<int> ids;
  for (int id = 0; id < 256; ++id) {
    if (shown[static_cast<std::size_t>(id)] && id != ignore_label) ids.insert(id);
  }
  return ids;
}

/// The value of `id`, or nothing.
template <typename Value>
std::optional<Value> find(const std::map<int, Value>& values, int id) {
  const auto found = values.find(id);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string said(const std::string& name) {
  return "'" + name + "'";
}

std::string said(const Colour& colour) {
  return "RGB " + std::to_string(colour[0]) + " " + std::to_string(colour[1]) + " " +
         std::to_string(colour[2]);
}

/// What the rasters that show `id` say of it; they must not contradict each other.
template <typename Value>
std::optional<Value> agreed(const std::vector<LabelRaster>& rasters, int id,
                            std::map<int, Value> LabelRaster::*values) {
  std::optional<Value> first;
  const LabelRaster* by = nullptr;
  for (const LabelRaster& raster : rasters) {
    const auto value = find(raster.*values, id);
    if (value && first && *value != *first) {
      throw InputError(raster.path, "label " + std::to_string(id) + " is " + said(*value) +
                                        ", but " + said(*first) + " in " + by->path);
    }
    if (value && !first) {
      first = value;
      by = &raster;
    }
  }
  return first;
}

Entries read_entries(const std::vector<LabelRaster>& rasters, int ignore_label) {
  std::set<int> ids;
  for (const LabelRaster& raster : rasters) ids.merge(ids_shown(raster, ignore_label));
  Entries entries;
  for (const int id : ids) {
    const auto name = agreed(rasters, id, &LabelRaster::names);
    entries[id] = {name.value_or("class " + std::to_string(id)),
                   agreed(rasters, id, &LabelRaster::colours)};
  }
  return entries;
}

/// More names than ids: the first name whose number, counted from 1, no raster shows.
std::string name_never_shown(const Entries& entries, const std::vector<std::string>& names) {
  int id = entries.contains(0) ? 0 : 1;
  for (const std::string& name : names) {
    if (!entries.contains(id++)) return name;
  }
  return names.back();
}

void rename(Entries& entries, const std::vector<std::string>& names) {
  if (names.empty()) return;
  if (names.size() > entries.size()) {
    throw InputError(kNamesKey, "class '" + name_never_shown(entries, names) + "' never occurs: " +
                                    std::to_string(names.size()) + " names, but the labels show " +
                                    std::to_string(entries.size()) + " ids");
  }
  if (names.size() < entries.size()) {
    throw InputError(kNamesKey, std::to_string(names.size()) + " names for the " +
                                    std::to_string(entries.size()) + " ids that the labels show");
  }
  auto name = names.begin();
  for (auto& [id, entry] : entries) entry.name = *name++;
}

void refuse_twins(const Entries& entries) {
  std::map<std::string, int> seen;
  for (const auto& [id, entry] : entries) {
    const auto [twin, is_new] = seen.emplace(entry.name, id);
    if (is_new) continue;
    throw InputError(kNamesKey, "labels " + std::to_string(twin->second) + " and " +
                                    std::to_string(id) + " are both named '" + entry.name + "'; " +
                                    kAliasKey + " merges classes");
  }
}

/// A merged class keeps the colour of the class it was merged into.
void apply_alias(Entries& entries, const std::string& alias) {
  const std::size_t equals = alias.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == alias.size()) {
    throw InputError(kAliasKey, "'" + alias + "' is not of the form OLD=NEW");
  }
  const std::string old_name = alias.substr(0, equals);
  const std::string new_name = alias.substr(equals + 1);
  const auto named = [&](const std::string& name) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const auto& entry) { return entry.second.name == name; });
  };
  if (named(old_name) == entries.end()) {
    throw InputError(kAliasKey,
                     "no class is named '" + old_name + "'; there are " + listed(entries));
  }
  const auto target = named(new_name);
  const auto merged = target == entries.end() ? std::optional<Entry>() : target->second;
  for (auto& [id, entry] : entries) {
    if (entry.name == old_name) entry = merged.value_or(Entry{new_name, entry.colour});
  }
}

/// Class index of every id; the table is in the order of the classes' smallest ids.
std::map<int, int> number(const Entries& entries, ClassTable& table) {
  std::map<int, int> index_of;
  std::vector<std::optional<Colour>> colours;
  for (const auto& [id, entry] : entries) {
    const auto known = std::find(table.names.begin(), table.names.end(), entry.name);
    index_of[id] = static_cast<int>(known - table.names.begin());
    if (known != table.names.end()) continue;
    table.names.push_back(entry.name);
    colours.push_back(entry.colour);
  }
  table.colours = complete_colours(colours);
  return index_of;
}

LabelImage renumber(const LabelRaster& raster, const std::map<int, int>& index_of) {
  std::array<std::uint8_t, 256> lookup{};
  for (const auto& [id, index] : index_of) {
    lookup[static_cast<std::size_t>(id)] = static_cast<std::uint8_t>(index + 1);
  }
  LabelImage image{raster.rows, raster.cols, raster.ids};
  for (std::uint8_t& label : image.classes) label = lookup[label];
  return image;
}

}  // namespace

std::pair<ClassTable, std::vector<LabelImage>> make_classes(const std::vector<LabelRaster>& rasters,
                                                            const ClassOptions& options) {
  Entries entries = read_entries(rasters, options.ignore_label);
  rename(entries, options.names);
  refuse_twins(entries);
  for (const std::string& alias : options.aliases) apply_alias(entries, alias);

  std::pair<ClassTable, std::vector<LabelImage>> result;
  const auto index_of = number(entries, result.first);
  if (result.first.size() < 2 || result.first.size() > 255) {
    throw InputError(rasters.empty() ? "scene.labels" : rasters.front().path,
                     std::to_string(result.first.size()) +
                         " classes besides the ignored label; allowed: 2 to 255");
  }
  for (const LabelRaster& raster : rasters) result.second.push_back(renumber(raster, index_of));
  return result;
}

}  // namespace oida
