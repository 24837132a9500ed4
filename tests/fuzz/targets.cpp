#include "fuzz/targets.hpp"

#include <array>

#include "core/error.hpp"
#include "deck.hpp"
#include "fuzz/run_files.hpp"
#include "fuzz/scene_files.hpp"
#include "io/testing.hpp"

namespace oida::fuzz {
namespace {

std::vector<std::string> deck_seeds() {
  return {
      "# a deck\n[scene]\npath = a/T3\npath = b#c\nlabels = l.png\n[data]\npatch_px = 7\n"
      "[train]\nepochs = 0.5\nlearning_rate = 1e-2\n",
      "[model]\nlayers = conv 8 3 relu\nlayers = dense 16\n[oida]\ninterleave = plan:x.json\n"
      "[run]\ndir = ${HOME}/run\nresume = round-1.h5\n",
      "[deck]\nbase = /dev/null\n[train]\nepochs = 2\n",
      app::Deck{}.resolved_ini() + "[synth]\nrows = 64\ntexture = 0.5\n"};
}

void read_deck(const std::string& bytes) {
  static const testing::TempFolder folder;
  const std::string file = folder / "deck.ini";
  testing::write_text(file, bytes);
  app::read_deck({file}).resolved_ini();
}

constexpr std::array kTargets = {
    Target{"deck", deck_seeds, read_deck}, Target{"labels", label_seeds, read_label_file},
    Target{"scene", scene_seeds, read_scene_file}, Target{"model", model_seeds, read_model_file},
    Target{"checkpoint", checkpoint_seeds, read_checkpoint_file}};

}  // namespace

std::span<const Target> targets() {
  return kTargets;
}

std::string fault(const Target& target, const std::string& bytes) {
  try {
    target.read(bytes);
  } catch (const Error& error) {
    if (error.message().empty()) return "refused without a word";
    if (error.message().find('\n') != std::string::npos) return "two lines: " + error.message();
  } catch (const std::exception& error) {
    return std::string("not an Error: ") + error.what();
  }
  return "";
}

}  // namespace oida::fuzz
