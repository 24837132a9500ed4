#include "io/run/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <sstream>
#include <system_error>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "io/files.hpp"
#include "io/h5.hpp"
#include "io/run/checkpoint_name.hpp"
#include "io/run/h5_parameters.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "oida checkpoint";
constexpr std::int64_t kVersion = 2;
constexpr const char* kNumbers = "numbers";
constexpr const char* kTexts = "texts";
constexpr const char* kManifest = "manifest";
constexpr const char* kManifestChecksums = "manifest/unit_checksums";
constexpr std::array<const char*, 3> kOwnGroups{kNumbers, kTexts, kManifest};

bool is_own_group(const std::string& name) {
  return std::find(kOwnGroups.begin(), kOwnGroups.end(), name) != kOwnGroups.end();
}

void check_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    throw Error("checkpoint", "'" + name + "' cannot name an array");
  }
}

/// Of names and contents, in the order of the names; independent of how a file lays them out.
std::uint64_t content_checksum(const Archive& archive) {
  std::string seen;
  const auto add = [&seen](char kind, const std::string& name, std::uint64_t sum) {
    seen += kind + name + '\0' + hex(sum) + '\n';
  };
  for (const auto& [name, values] : archive.parameters) {
    add('p', name, checksum(std::span<const float>(values)));
  }
  for (const auto& [name, values] : archive.numbers) {
    add('n', name, checksum(std::span<const double>(values)));
  }
  for (const auto& [name, text] : archive.texts) {
    add('t', name, checksum(std::span<const char>(text)));
  }
  return checksum(std::span<const char>(seen));
}

std::string network_text(const Network& network) {
  std::string text = std::to_string(network.input.c) + " x " + std::to_string(network.input.h) +
                     " x " + std::to_string(network.input.w) + " -> " +
                     std::to_string(network.classes);
  for (const auto& line : to_lines(network)) text += "\n" + line;
  return text;
}

void write_archive(H5Out& file, const Network& network, const Archive& archive) {
  for (const auto& [name, values] : archive.parameters) {
    check_name(name);
    if (is_own_group(name)) throw Error("checkpoint", "'" + name + "' cannot name parameters");
    write_parameters(file, name, network, values);
  }
  file.make_group(kNumbers);
  for (const auto& [name, values] : archive.numbers) {
    check_name(name);
    file.write<double>(std::string(kNumbers) + "/" + name, values, {values.size()});
  }
  file.make_group(kTexts);
  for (const auto& [name, text] : archive.texts) {
    check_name(name);
    file.write_texts(std::string(kTexts) + "/" + name, {&text, 1});
  }
}

Archive read_archive(const H5In& file, const Network& network) {
  Archive archive;
  for (const auto& name : file.members("/")) {
    if (!is_own_group(name)) archive.parameters[name] = read_parameters(file, name, network);
  }
  for (const auto& name : file.members(kNumbers)) {
    archive.numbers[name] = file.read<double>(std::string(kNumbers) + "/" + name);
  }
  for (const auto& name : file.members(kTexts)) {
    const auto texts = file.read_texts(std::string(kTexts) + "/" + name);
    if (texts.size() != 1) file.refuse("text " + name + " is damaged");
    archive.texts[name] = texts.front();
  }
  return archive;
}

class Hdf5Checkpoints final : public CheckpointStore {
 public:
  Hdf5Checkpoints(std::string folder, Network network)
      : folder_(std::move(folder)), network_(std::move(network)) {}

  std::uint64_t write_unit(std::int64_t round, int unit, const Archive& archive) override;
  void write_common(std::int64_t round, const Archive& archive,
                    const std::vector<std::uint64_t>& unit_checksums) override;
  std::vector<std::int64_t> rounds() const override;
  Archive read_common(std::int64_t round) const override;
  Archive read_unit(std::int64_t round, int unit) const override;
  int units(std::int64_t round) const override;
  void discard(std::int64_t round, int unit) override;
  void set_aside(std::int64_t round) override;
  void prune(int keep) override;

 private:
  std::string path(CheckpointName name) const { return folder_ + "/" + to_string(name); }
  void write(CheckpointName name, const Archive& archive,
             const std::function<void(H5Out&)>& more) const;
  H5In open(CheckpointName name) const;
  std::vector<std::uint64_t> manifest(std::int64_t round) const;
  bool is_complete(std::int64_t round) const;
  std::string network_difference(const std::string& other) const;

  std::string folder_;
  Network network_;
};

void Hdf5Checkpoints::write(CheckpointName name, const Archive& archive,
                            const std::function<void(H5Out&)>& more) const {
  make_folder(folder_);
  H5Out file(path(name));
  file.attribute("/", "format", kFormat);
  file.attribute("/", "format_version", kVersion);
  file.attribute("/", "round", name.round);
  file.attribute("/", "unit", name.unit);
  file.attribute("/", "network", network_text(network_));
  write_archive(file, network_, archive);
  more(file);
  file.close();
}

std::uint64_t Hdf5Checkpoints::write_unit(std::int64_t round, int unit, const Archive& archive) {
  write({round, unit, false}, archive, [](H5Out&) {});
  return content_checksum(archive);
}

void Hdf5Checkpoints::write_common(std::int64_t round, const Archive& archive,
                                   const std::vector<std::uint64_t>& unit_checksums) {
  write({round, kCommon, false}, archive, [&](H5Out& file) {
    file.write<std::uint64_t>(kManifestChecksums, unit_checksums, {unit_checksums.size()});
  });
}

std::vector<std::int64_t> Hdf5Checkpoints::rounds() const {
  std::vector<std::int64_t> found;
  for (const auto& name : checkpoint_names(folder_)) {
    if (name.unit == kCommon && !name.part) found.push_back(name.round);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

H5In Hdf5Checkpoints::open(CheckpointName name) const {
  H5In file(path(name), Exit::failed);
  if (file.text_attribute("/", "format") != kFormat ||
      file.number_attribute("/", "format_version") != kVersion) {
    file.refuse("is no checkpoint of this version of oida");
  }
  if (file.number_attribute("/", "round") != name.round ||
      file.number_attribute("/", "unit") != name.unit) {
    file.refuse("holds another checkpoint than its name says");
  }
  const std::string network = file.text_attribute("/", "network");
  if (network != network_text(network_)) {
    throw InputError(path(name), "was written for another network, " + network_difference(network));
  }
  return file;
}

/// The first line of the networks' texts that differs.
std::string Hdf5Checkpoints::network_difference(const std::string& other) const {
  std::istringstream there(other);
  std::istringstream here(network_text(network_));
  std::string kept;
  std::string own;
  do {
    if (!std::getline(there, kept)) kept = "no more";
    if (!std::getline(here, own)) own = "no more";
  } while (kept == own);
  return "with '" + kept + "' where this run has '" + own + "'";
}

std::vector<std::uint64_t> Hdf5Checkpoints::manifest(std::int64_t round) const {
  return open({round, kCommon, false}).read<std::uint64_t>(kManifestChecksums);
}

Archive Hdf5Checkpoints::read_common(std::int64_t round) const {
  return read_archive(open({round, kCommon, false}), network_);
}

Archive Hdf5Checkpoints::read_unit(std::int64_t round, int unit) const {
  const auto checksums = manifest(round);
  const CheckpointName name{round, unit, false};
  if (unit < 0 || static_cast<std::size_t>(unit) >= checksums.size()) {
    throw Error(path(name), "is not among the " + std::to_string(checksums.size()) +
                                " units of its checkpoint");
  }
  Archive archive = read_archive(open(name), network_);
  if (content_checksum(archive) != checksums[static_cast<std::size_t>(unit)]) {
    throw Error(path(name), "does not match the checksum in its checkpoint's manifest");
  }
  return archive;
}

int Hdf5Checkpoints::units(std::int64_t round) const {
  return static_cast<int>(manifest(round).size());
}

/// Its manifest can be read and every unit's file is there; contents are not looked at.
bool Hdf5Checkpoints::is_complete(std::int64_t round) const {
  try {
    for (int unit = 0, count = units(round); unit < count; ++unit) {
      if (!fs::exists(path({round, unit, false}))) return false;
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

void Hdf5Checkpoints::discard(std::int64_t round, int unit) {
  std::error_code ignored;
  fs::remove(path({round, unit, false}), ignored);
}

void Hdf5Checkpoints::set_aside(std::int64_t round) {
  for (const auto& name : checkpoint_names(folder_)) {
    if (name.round != round || name.part) continue;
    std::error_code error;
    fs::rename(path(name), path(name) + ".aside", error);
    if (error) throw Error(path(name), "cannot be set aside: " + error.message());
  }
}

/// Files of rounds after the newest complete one stay: other units may be writing them.
void Hdf5Checkpoints::prune(int keep) {
  std::vector<std::int64_t> kept;
  for (const std::int64_t round : rounds()) {
    if (static_cast<int>(kept.size()) < keep && is_complete(round)) kept.push_back(round);
  }
  if (kept.empty()) return;
  for (const auto& name : checkpoint_names(folder_)) {
    const bool is_kept = std::find(kept.begin(), kept.end(), name.round) != kept.end();
    if (name.round > kept.front() || (is_kept && !name.part)) continue;
    std::error_code error;
    fs::remove(path(name), error);
    if (error) throw Error(path(name), "cannot be removed: " + error.message());
  }
}

}  // namespace

std::unique_ptr<CheckpointStore> open_checkpoints(const std::string& folder,
                                                  const Network& network) {
  return std::make_unique<Hdf5Checkpoints>(folder, network);
}

}  // namespace oida
