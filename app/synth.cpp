// oida synth: a labelled scene of Wishart speckle with known coherency matrices.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "commands.hpp"
#include "deck.hpp"
#include "io/files.hpp"
#include "io/scene/scene_writer.hpp"
#include "polsar/matrix.hpp"
#include "polsar/wishart.hpp"

namespace oida::app {

namespace {

struct SyntheticClass {
  const char* name;
  Colour colour;
  Coherency coherency;
};

/// Covers with the dominant mechanism that the textbook gives them (Lee and Pottier 2009, ch. 7):
/// T11 surface, T22 double bounce, T33 volume; linear power.
std::array<SyntheticClass, 6> synthetic_classes() {
  using C = std::complex<double>;
  const auto matrix = [](double t11, double t22, double t33, C t12, C t13, C t23) {
    return Coherency{{{{C(t11), t12, t13}},
                      {{std::conj(t12), C(t22), t23}},
                      {{std::conj(t13), std::conj(t23), C(t33)}}}};
  };
  return {{
      {"Water", {30, 90, 200}, matrix(0.012, 0.0016, 0.0004, {0.0030, 0.0004}, 0.0, 0.0)},
      {"Bare soil",
       {170, 120, 70},
       matrix(0.050, 0.0080, 0.0040, {0.0130, 0.0020}, {0.001, 0}, 0.0)},
      {"Grassland", {150, 220, 90}, matrix(0.060, 0.022, 0.016, {0.012, 0.004}, 0.0, {0.002, 0})},
      {"Crops", {240, 200, 60}, matrix(0.085, 0.060, 0.020, {0.006, 0.020}, {0.002, 0.002}, 0.0)},
      {"Forest", {20, 110, 40}, matrix(0.160, 0.085, 0.080, {0.016, 0.004}, 0.0, {0.004, 0.002})},
      {"Buildings",
       {210, 50, 50},
       matrix(0.250, 0.420, 0.060, {-0.090, 0.050}, {0.02, 0}, {0.03, 0.01})},
  }};
}

/// A field belongs to the nearest of randomly placed seeds (a Voronoi mosaic, as farmland is).
class Mosaic {
 public:
  Mosaic(int rows, int cols, int field_px, std::uint64_t seed) : cell_(field_px), seed_(seed) {
    grid_cols_ = cols / cell_ + 3;
    grid_rows_ = rows / cell_ + 3;
  }

  /// Index of the field at a pixel, and whether the pixel lies on its border.
  std::pair<std::uint64_t, bool> field(int row, int col) const {
    double nearest = 1e30;
    double second = 1e30;
    std::uint64_t field = 0;
    for (int i = row / cell_; i <= row / cell_ + 2; ++i) {
      for (int j = col / cell_; j <= col / cell_ + 2; ++j) {
        const auto index = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(grid_cols_) +
                           static_cast<std::uint64_t>(j);
        Random random(seed_, Purpose::layout, index);
        const double y = (i - 1 + static_cast<double>(random.uniform())) * cell_ - row;
        const double x = (j - 1 + static_cast<double>(random.uniform())) * cell_ - col;
        const double distance = std::hypot(x, y);
        second = std::min(second, std::max(distance, nearest));
        if (distance < nearest) field = index;
        nearest = std::min(nearest, distance);
      }
    }
    return {field, second - nearest < 2.0};
  }

  int class_of(std::uint64_t field, int classes) const {
    return static_cast<int>(
        Random(seed_, Purpose::layout, field, 1).below(static_cast<std::uint32_t>(classes)));
  }

 private:
  int cell_, grid_cols_ = 0, grid_rows_ = 0;
  std::uint64_t seed_;
};

struct SyntheticScene {
  std::vector<float> planes;
  std::vector<std::uint8_t> ids;
};

SyntheticScene make_scene(const Deck& deck) {
  const int rows = static_cast<int>(deck.synth.rows);
  const int cols = static_cast<int>(deck.synth.cols);
  const auto seed = static_cast<std::uint64_t>(deck.synth.seed);
  const auto pixels = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  const Mosaic mosaic(rows, cols, static_cast<int>(deck.synth.field_px), seed);
  const auto classes = synthetic_classes();
  std::vector<Coherency> factors;
  for (const auto& cover : classes) factors.push_back(cholesky(cover.coherency));
  SyntheticScene scene{std::vector<float>(kT3Elements.size() * pixels),
                       std::vector<std::uint8_t>(pixels)};
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const auto [field, border] =
        mosaic.field(static_cast<int>(pixel) / cols, static_cast<int>(pixel) % cols);
    const int cover = mosaic.class_of(field, static_cast<int>(classes.size()));
    Random random(seed, Purpose::speckle, pixel);
    const double texture = gamma_texture(deck.synth.texture, random);
    const auto t3 = wishart_t3(factors[static_cast<std::size_t>(cover)],
                               static_cast<int>(deck.synth.looks), texture, random);
    for (std::size_t i = 0; i < t3.size(); ++i) {
      scene.planes[i * pixels + pixel] = static_cast<float>(t3[i]);
    }
    scene.ids[pixel] = border ? std::uint8_t{0} : static_cast<std::uint8_t>(cover + 1);
  }
  return scene;
}

ClassTable class_table() {
  ClassTable table;
  for (const auto& cover : synthetic_classes()) {
    table.names.emplace_back(cover.name);
    table.colours.push_back(cover.colour);
  }
  return table;
}

/// Marks a folder that synth made and may write again.
constexpr const char* kMark = "synthetic.txt";

/// Makes the folders and marks the scene's before anything else: a synth that was stopped can be
/// started again.
void mark(const Deck& deck, const std::string& folder) {
  std::ostringstream text;
  text << "Wishart speckle, " << deck.synth.looks << " looks, gamma texture of order "
       << deck.synth.texture << ", seed " << deck.synth.seed << "\n";
  try {
    make_folder(std::filesystem::path(deck.scene.labels.front()).parent_path().string());
    make_folder(folder);
    write_whole_file(folder + "/" + kMark, text.str());
  } catch (const Error& error) {
    throw InputError("scene", error.message());
  }
}

void write_scene(const Deck& deck) {
  if (deck.scene.path.size() != 1 || deck.scene.labels.size() != 1) {
    throw InputError("scene.path", "synth writes one scene and one label file; the deck names " +
                                       std::to_string(deck.scene.path.size()) + " and " +
                                       std::to_string(deck.scene.labels.size()));
  }
  const std::string& folder = deck.scene.path.front();
  if (std::filesystem::exists(folder) && !std::filesystem::exists(folder + "/" + kMark)) {
    throw InputError(folder, "exists and is not a synthetic scene: not overwritten");
  }
  mark(deck, folder);
  const SyntheticScene scene = make_scene(deck);
  const int rows = static_cast<int>(deck.synth.rows);
  const int cols = static_cast<int>(deck.synth.cols);
  write_t3_folder(folder, rows, cols, scene.planes);
  write_label_png(deck.scene.labels.front(), rows, cols, scene.ids, class_table());
}

}  // namespace

Exit synth(Comm& comm, const Arguments& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    say(comm,
        "oida synth DECK.ini [--section.key=value ...]\n\nWrites the labelled synthetic scene "
        "that the deck's scene.path and scene.labels name:\nsix land covers of Wishart "
        "speckle with the looks, texture and field size of [synth].\n");
    return Exit::done;
  }
  const Deck deck = collectively(comm, [&] { return read_deck(arguments); });
  collectively(comm, [&] {
    if (comm.rank() == 0) write_scene(deck);
  });
  say(comm, "synthetic scene " + deck.scene.path.front() + ": " + std::to_string(deck.synth.rows) +
                " x " + std::to_string(deck.synth.cols) + " px, " +
                std::to_string(deck.synth.looks) + " looks, 6 classes\n");
  return Exit::done;
}

}  // namespace oida::app
