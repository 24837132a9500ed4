#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <sstream>
#include <system_error>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/georeference.hpp"
#include "io/scene/covariance_readers.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/named_detail.hpp"
#include "io/scene/raw_plane.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr int kWgs84 = 4326;

/// A term in a C3: its planes, and the factor that C = <k k*>, k = [HH, sqrt 2 HV, VV] asks for.
struct Term {
  const char* name;
  int real;
  int imaginary;
  double factor;
};
constexpr std::array kTerms = {
    Term{"HHHH", 0, -1, 1}, Term{"HHHV", 1, 2, std::numbers::sqrt2}, Term{"HHVV", 3, 4, 1},
    Term{"HVHV", 5, -1, 2}, Term{"HVVV", 6, 7, std::numbers::sqrt2}, Term{"VVVV", 8, -1, 1}};

std::string trimmed(const std::string& text) {
  constexpr const char* kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// "key (unit) = value ; comment" by key.
class Annotation {
 public:
  explicit Annotation(const std::string& path) : path_(path) {
    std::istringstream file(read_text_file(path));
    for (std::string line; std::getline(file, line);) {
      line = line.substr(0, line.find(';'));
      const auto equals = line.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = line.substr(0, std::min(line.find('('), equals));
      values_[trimmed(key)] = trimmed(line.substr(equals + 1));
    }
  }

  bool has(const std::string& key) const { return values_.contains(key); }
  const std::string& text(const std::string& key) const {
    if (!has(key)) throw InputError(path_, key + " is missing");
    return values_.at(key);
  }
  double number(const std::string& key) const {
    const std::string& value = text(key);
    double out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error == std::errc{} && end == value.data() + value.size() && std::isfinite(out))
      return out;
    throw InputError(path_, key + " is '" + value + "', no number");
  }
  int pixels(const std::string& key) const {
    const double value = number(key);
    if (value >= 1 && value < 1e9 && value == std::floor(value)) return static_cast<int>(value);
    throw InputError(path_, key + " is " + text(key) + "; allowed is a number of pixels from 1 on");
  }

 private:
  std::string path_;
  std::map<std::string, std::string> values_;
};

/// The .ann itself, or the one in a folder; empty when there is none or several.
std::string annotation_of(const std::string& path) {
  std::error_code error;
  if (fs::path(path).extension() == ".ann" && fs::is_regular_file(path, error)) return path;
  const auto stems = stems_in(path, ".ann");
  return stems.size() == 1 ? (fs::path(path) / (stems.front() + ".ann")).string() : "";
}

std::string file_of(const Annotation& annotation, const std::string& folder,
                    const std::string& product, const Term& term) {
  const std::string name = fs::path(annotation.text(product + term.name)).filename().string();
  return (fs::path(folder) / name).string();
}

/// Of an SLC stack: "SITE_..._L090HH_02_BC_s1_1x1.slc" lies beside "SITE_..._L090HH_02_BC.ann".
struct Segment {
  fs::path folder;
  std::map<std::string, std::string> stems;  // annotations by polarisation, without ".ann"
  std::string number;                        // as text, from 1
};

/// HH of "..._L090HH_..."; empty where no part of the name is so.
std::string polarisation_of(const std::string& stem) {
  std::istringstream text(stem);
  for (std::string part; std::getline(text, part, '_');) {
    const std::string last = part.size() == 6 && part[0] == 'L' ? part.substr(4) : "";
    if (last == "HH" || last == "HV" || last == "VH" || last == "VV") return last;
  }
  return "";
}

/// A folder holds segment 1, a .slc the one of its name (_s2_1x1.slc).
Segment segment_of(const std::string& path) {
  std::error_code error;
  Segment out{path, {}, "1"};
  if (fs::is_regular_file(path, error)) {
    const std::string stem = fs::path(path).stem().string();
    const auto at = stem.rfind("_s");
    const auto end = stem.find("_1x1", at == std::string::npos ? 0 : at);
    if (fs::path(path).extension() != ".slc" || at == std::string::npos ||
        end == std::string::npos) {
      return {};
    }
    out.number = stem.substr(at + 2, end - at - 2);
    out.folder = fs::path(path).parent_path();
  }
  for (const auto& stem : stems_in(out.folder.string(), ".ann")) {
    const std::string polarisation = polarisation_of(stem);
    const fs::path image = out.folder / (stem + "_s" + out.number + "_1x1.slc");
    if (!polarisation.empty() && fs::exists(image, error)) out.stems[polarisation] = stem;
  }
  return out;
}

/// "grd" or "mlc": the first whose HHHH file is there.
std::string product_of(const Annotation& annotation, const std::string& path,
                       const std::string& folder) {
  std::error_code error;
  for (const std::string product : {"grd", "mlc"}) {
    const bool named = annotation.has(product + "HHHH");
    if (named && fs::exists(file_of(annotation, folder, product, kTerms[0]), error)) return product;
  }
  throw InputError(path, "names no grd or mlc files (grdHHHH, mlcHHHH) that are beside it");
}

/// Addresses are those of the first pixel's centre.
Georeference grid(const Annotation& annotation) {
  Georeference out;
  const double dx = annotation.number("grd_mag.col_mult");
  const double dy = annotation.number("grd_mag.row_mult");
  out.transform = {annotation.number("grd_mag.col_addr") - dx / 2, dx, 0,
                   annotation.number("grd_mag.row_addr") - dy / 2, 0,  dy};
  out.wkt = wkt_of_epsg(kWgs84);
  return out;
}

std::unique_ptr<SceneSource> open_segment(const std::string& path, const Segment& segment) {
  std::vector<std::string> polarisations;
  for (const auto& [polarisation, stem] : segment.stems) polarisations.push_back(polarisation);
  SceneInfo info;
  info.path = path;
  info.format = "UAVSAR slc, segment " + segment.number;
  const auto matrix = match_polarisations(path, polarisations);
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    const fs::path stem = segment.folder / segment.stems.at(name);
    const Annotation annotation(stem.string() + ".ann");
    const std::string key = "slc_" + segment.number + "_1x1 ";
    RawShape shape;
    shape.rows = annotation.pixels(key + "Rows");
    shape.cols = annotation.pixels(key + "Columns");
    shape.type = RawType::complex_float32;
    Channel channel;
    channel.plane = open_raw_plane(stem.string() + "_s" + segment.number + "_1x1.slc", shape);
    return channel;
  }));
}

}  // namespace

bool is_uavsar(const std::string& path) {
  return !segment_of(path).stems.empty() || !annotation_of(path).empty();
}

std::unique_ptr<SceneSource> open_uavsar(const std::string& path, const SceneOptions&) {
  const Segment segment = segment_of(path);
  if (!segment.stems.empty()) return open_segment(path, segment);
  const std::string ann = annotation_of(path);
  if (ann.empty()) throw InputError(path, "is no UAVSAR .ann, nor a folder with just one");
  const Annotation annotation(ann);
  const std::string folder = fs::path(ann).parent_path().string();
  const std::string product = product_of(annotation, ann, folder);
  SceneLayout layout;
  layout.info.path = path;
  layout.info.format = "UAVSAR " + product;
  layout.info.kind = MatrixKind::c3;
  if (product == "grd") layout.info.georeference = grid(annotation);
  RawShape shape;
  shape.rows = annotation.pixels(product + "_mag.set_rows");
  shape.cols = annotation.pixels(product + "_mag.set_cols");
  for (const Term& term : kTerms) {
    shape.type = term.imaginary < 0 ? RawType::float32 : RawType::complex_float32;
    Channel channel;
    channel.plane = open_raw_plane(file_of(annotation, folder, product, term), shape);
    channel.real = term.real;
    channel.imaginary = term.imaginary;
    channel.factor = static_cast<float>(term.factor);
    layout.channels.push_back(std::move(channel));
  }
  return make_scene(std::move(layout));
}

}  // namespace oida
