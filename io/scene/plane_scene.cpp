#include <algorithm>
#include <limits>
#include <span>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "io/scene/plane.hpp"

namespace oida {
namespace {

class PlaneScene final : public SceneSource {
 public:
  explicit PlaneScene(SceneLayout layout) : layout_(std::move(layout)) { check(); }

  const SceneInfo& info() const override { return layout_.info; }
  MatrixWindow read(const Window& window) override;
  std::int64_t bytes_read() const override;
  double read_s() const override { return read_s_; }

 private:
  void check();
  void check_size(const Plane& plane) const;
  void read_channel(Channel& channel, const Window& window, MatrixWindow& out);
  void read_mask(const Window& window, MatrixWindow& out);

  SceneLayout layout_;
  double read_s_ = 0;
};

void PlaneScene::check() {
  SceneInfo& info = layout_.info;
  if (layout_.channels.empty()) throw InputError(info.path, "holds no raster");
  if (info.rows == 0 && info.cols == 0) {
    info.rows = layout_.channels.front().plane->rows();
    info.cols = layout_.channels.front().plane->cols();
  }
  if (info.rows < 1 || info.cols < 1) {
    throw InputError(info.path, "is said to have " + size_text(info.rows, info.cols));
  }
  for (const Channel& channel : layout_.channels) {
    check_size(*channel.plane);
    if (channel.plane->complex() != (channel.imaginary >= 0)) {
      throw InputError(channel.plane->path(), channel.imaginary >= 0
                                                  ? "holds real values where complex ones belong"
                                                  : "holds complex values where real ones belong");
    }
    const bool gains_fit = channel.column_gain.empty() ||
                           channel.column_gain.size() == static_cast<std::size_t>(info.cols);
    if (!gains_fit) {
      throw InputError(channel.plane->path(), "has " + std::to_string(channel.column_gain.size()) +
                                                  " calibration gains for " +
                                                  std::to_string(info.cols) + " columns");
    }
  }
  if (layout_.mask) check_size(*layout_.mask);
}

void PlaneScene::check_size(const Plane& plane) const {
  const SceneInfo& info = layout_.info;
  if (plane.rows() == info.rows && plane.cols() == info.cols) return;
  throw InputError(plane.path(), "has " + size_text(plane.rows(), plane.cols()) +
                                     " where the scene has " + size_text(info.rows, info.cols));
}

/// `gains`: of the window's columns, or empty for 1.
void scale(std::span<float> values, float factor, std::span<const float> gains) {
  if (!gains.empty()) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor / gains[i % gains.size()];
  } else if (factor != 1.0F) {
    for (float& value : values) value *= factor;
  }
}

void PlaneScene::read_channel(Channel& channel, const Window& window, MatrixWindow& out) {
  const std::size_t pixels = out.pixels();
  const auto plane_of = [&](int element) {
    return std::span(out.plane(static_cast<std::size_t>(element)), pixels);
  };
  const std::span<float> real = plane_of(channel.real);
  const bool complex = channel.imaginary >= 0;
  channel.plane->read(window, real.data(), complex ? plane_of(channel.imaginary).data() : nullptr);
  if (channel.no_data) {
    for (std::size_t i = 0; i < pixels; ++i) {
      if (real[i] == *channel.no_data) real[i] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  const bool has_gains = !channel.column_gain.empty();
  const auto gains = std::span<const float>(channel.column_gain)
                         .subspan(has_gains ? static_cast<std::size_t>(window.col) : 0,
                                  has_gains ? static_cast<std::size_t>(window.cols) : 0);
  scale(real, channel.factor, gains);
  if (complex) {
    scale(plane_of(channel.imaginary), channel.factor * channel.imaginary_factor, gains);
  }
}

void PlaneScene::read_mask(const Window& window, MatrixWindow& out) {
  std::vector<float> mask(out.pixels());
  layout_.mask->read(window, mask.data(), nullptr);
  std::transform(mask.begin(), mask.end(), out.valid.begin(), [&](float m) {
    return static_cast<std::uint8_t>(m > 0.0F && m != layout_.mask_outside);
  });
}

/// C2 of two amplitudes that lie as planes real, imaginary, real, imaginary; in place.
void outer_product(MatrixWindow& pair) {
  for (std::size_t i = 0; i < pair.pixels(); ++i) {
    float* at[4] = {pair.plane(0) + i, pair.plane(1) + i, pair.plane(2) + i, pair.plane(3) + i};
    const float ar = *at[0], ai = *at[1], br = *at[2], bi = *at[3];
    *at[0] = ar * ar + ai * ai;
    *at[1] = ar * br + ai * bi;
    *at[2] = ai * br - ar * bi;
    *at[3] = br * br + bi * bi;
  }
}

MatrixWindow PlaneScene::read(const Window& window) {
  const double begin_s = now_s();
  MatrixWindow out = make_window(layout_.info.kind, layout_.info.pair, window.rows, window.cols);
  if (layout_.mask) read_mask(window, out);
  for (Channel& channel : layout_.channels) read_channel(channel, window, out);
  if (layout_.amplitude_pair) outer_product(out);
  read_s_ += now_s() - begin_s;
  audit(out);
  return out;
}

std::int64_t PlaneScene::bytes_read() const {
  std::int64_t bytes = layout_.mask ? layout_.mask->bytes_read() : 0;
  for (const Channel& channel : layout_.channels) bytes += channel.plane->bytes_read();
  return bytes;
}

}  // namespace

std::unique_ptr<SceneSource> make_scene(SceneLayout layout) {
  return std::make_unique<PlaneScene>(std::move(layout));
}

std::string size_text(int rows, int cols) {
  return std::to_string(rows) + " rows x " + std::to_string(cols) + " cols";
}

}  // namespace oida
