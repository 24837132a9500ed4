#include <omp.h>

#include "engine/onednn/winograd_avx512.hpp"
#include "engine/onednn/winograd_finish_avx512.hpp"

namespace oida::onednn {
namespace {

/// How many tiles a thread works on at a time: V and M stay in the second-level cache.
int tiles_a_block(const WinogradShape& shape, const Tiling& tiling) {
  constexpr int kMost = 64;
  constexpr int kLeast = 12;
  const int share = tiling.total / (2 * shape.threads);
  return share > kMost ? kMost : (share < kLeast ? kLeast : share);
}

/// Floats from one frequency to the next in V and M.
struct Steps {
  Steps(const WinogradShape& shape, int tiles)
      : v(static_cast<std::size_t>(tiles * shape.in) + kSkew),
        m(static_cast<std::size_t>(tiles * shape.out) + kSkew) {}

  std::size_t total() const { return kFrequencies * (v + m); }

  std::size_t v, m;
};

/// The scratch of the calling thread.
struct Work {
  Work(const Steps& steps, float* scratch)
      : v_step(steps.v),
        m_step(steps.m),
        v(scratch + static_cast<std::size_t>(omp_get_thread_num()) * steps.total()),
        m(v + kFrequencies * v_step) {}

  std::size_t v_step, m_step;
  float* v;  // [36][tile][in]
  float* m;  // [36][tile][out]
};

/// One frequency and 16 kVectors channels of a block of tiles.
template <int kVectors, int kTiles>
void multiply_block(const WinogradShape& shape, const float* u, const float* v, float* m,
                    int tiles) {
  constexpr int kPitch = kVectors * kLanes;
  int t = 0;
  for (; t + kTiles <= tiles; t += kTiles) {
    multiply<kVectors, kTiles>(u, kPitch, v + t * shape.in, nullptr, m + t * shape.out, shape.used,
                               shape.in, shape.out);
  }
  for (; t + 4 <= tiles; t += 4) {
    multiply<kVectors, 4>(u, kPitch, v + t * shape.in, nullptr, m + t * shape.out, shape.used,
                          shape.in, shape.out);
  }
  for (; t < tiles; ++t) {
    multiply<kVectors, 1>(u, kPitch, v + t * shape.in, nullptr, m + t * shape.out, shape.used,
                          shape.in, shape.out);
  }
}

template <int kVectors, int kTiles>
void multiply_all(const WinogradShape& shape, const float* filter, const Work& work, int tiles) {
  const std::size_t part = static_cast<std::size_t>(shape.in) * kVectors * kLanes;
  for (int f = 0; f < kFrequencies; ++f) {
    for (int o = 0; o < shape.out; o += kVectors * kLanes) {
      multiply_block<kVectors, kTiles>(
          shape, filter, work.v + static_cast<std::size_t>(f) * work.v_step,
          work.m + static_cast<std::size_t>(f) * work.m_step + o, tiles);
      filter += part;
    }
  }
}

void transform_block(const WinogradShape& shape, const Tiling& tiling, const Images& images,
                     const Work& work, int first, int tiles) {
  for (int t = 0; t < tiles; ++t) {
    const Tile tile(tiling, first + t);
    const int y = tile.y - shape.pad;
    const int x = tile.x - shape.pad;
    for (int c = 0; c < shape.in; c += kLanes) {
      float* v = work.v + static_cast<std::size_t>(t * shape.in + c);
      transform_tile_any(images.of(c), tile.sample, y, x, images.place(c), v, work.v_step);
    }
  }
}

void multiply_tiles(const WinogradShape& shape, const float* filter, const Work& work, int tiles) {
  switch (vectors_of(shape.out)) {
    case 4:
      return multiply_all<4, 6>(shape, filter, work, tiles);
    case 2:
      return multiply_all<2, 12>(shape, filter, work, tiles);
    default:
      return multiply_all<1, 16>(shape, filter, work, tiles);
  }
}

}  // namespace

std::size_t winograd_filter_size(const WinogradShape& shape) {
  return kFrequencies * static_cast<std::size_t>(shape.in) * static_cast<std::size_t>(shape.out);
}

std::size_t winograd_scratch_size(const WinogradShape& shape) {
  const Tiling tiling(shape);
  return static_cast<std::size_t>(shape.threads) *
         Steps(shape, tiles_a_block(shape, tiling)).total();
}

void winograd_convolve(const WinogradShape& shape, const WinogradSource& source,
                       const float* filter, const WinogradFinish& finish, float* destination,
                       float* scratch) {
  const Tiling tiling(shape);
  const Images images(source, shape.height, shape.width, shape.in);
  const int block = tiles_a_block(shape, tiling);
  const Steps steps(shape, block);
#pragma omp parallel for schedule(static) num_threads(shape.threads)
  for (int first = 0; first < tiling.total; first += block) {
    const Work work(steps, scratch);
    const int tiles = smaller(block, tiling.total - first);
    transform_block(shape, tiling, images, work, first, tiles);
    multiply_tiles(shape, filter, work, tiles);
    for (int t = 0; t < tiles; ++t) {
      finish_tile(shape, tiling, Tile(tiling, first + t), finish,
                  work.m + static_cast<std::size_t>(t * shape.out), work.m_step, destination);
    }
  }
}

}  // namespace oida::onednn
