#include "comm/chunks.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace oida {
namespace {

constexpr std::size_t kChunk = 64 * 1024;  // floats: one is added up while others are on their way
constexpr std::size_t kMaxChunks = kChunkTags / 2;  // of an owner's share, rounded and exact each

}  // namespace

bool overlap(const Shape& a, const Shape& b) {
  const std::size_t a_rounded = a.size - std::min(a.size, a.exact);
  const std::size_t b_rounded = b.size - std::min(b.size, b.exact);
  return a_rounded > 0 && b_rounded > 0 && a.position < b.position + b_rounded &&
         b.position < a.position + a_rounded;
}

Grid::Grid(const Nodes& nodes, Wire wire, std::size_t floats)
    : lanes_(static_cast<std::size_t>(nodes.lanes)),
      nodes_(static_cast<std::size_t>(nodes.count)),
      wire_(nodes.count == 1 ? Wire::fp32 : wire),
      floats_(floats) {}

std::size_t Grid::step(std::size_t floats) const {
  const std::size_t share = std::max<std::size_t>(1, divided_up(floats, lanes_ * nodes_));
  std::size_t chunks = 1;
  if (nodes_ > 1) chunks = std::min(kMaxChunks, divided_up(share, kChunk));
  return rounded_up(divided_up(share, chunks), kWireBlock);
}

std::size_t Grid::rounded(const Shape& shape) const {
  return wire_ == Wire::fp32 ? 0 : shape.size - std::min(shape.size, shape.exact);
}

void Grid::check(const Shape& shape) const {
  if (rounded(shape) == 0 || shape.position + rounded(shape) <= floats_) return;
  throw Error("exchange", std::to_string(rounded(shape)) + " floats from position " +
                              std::to_string(shape.position) + " on are more than the " +
                              std::to_string(floats_) + " that travel");
}

std::vector<Chunk> Grid::cut(const Shape& shape) const {
  std::vector<Chunk> chunks;
  const std::size_t first_exact = rounded(shape);
  if (first_exact > 0) cut(0, first_exact, shape.position, step(floats_), wire_, chunks);
  const std::size_t exact = shape.size - first_exact;
  if (exact > 0) cut(first_exact, shape.size, 0, step(exact), Wire::fp32, chunks);
  return chunks;
}

/// [first, last) of the buffer; `origin` is where `first` lies on the grid.
void Grid::cut(std::size_t first, std::size_t last, std::size_t origin, std::size_t step, Wire wire,
               std::vector<Chunk>& into) const {
  const std::size_t end = origin + (last - first);
  const std::size_t first_tag = wire == Wire::fp32 ? kMaxChunks : 0;
  for (std::size_t at = origin; at < end;) {
    const std::size_t c = at / step;
    const std::size_t next = std::min(end, (c + 1) * step);
    into.push_back({first + (at - origin), next - at, static_cast<int>(c % lanes_),
                    static_cast<int>(c / lanes_ % nodes_),
                    static_cast<int>(first_tag + c / (lanes_ * nodes_)), wire,
                    c / lanes_ * step + at % step});
    at = next;
  }
}

std::size_t Grid::remainders(int lane) const {
  if (wire_ == Wire::fp32) return 0;
  const std::size_t chunks = divided_up(floats_, step(floats_));
  const auto first = static_cast<std::size_t>(lane);
  return chunks > first ? divided_up(chunks - first, lanes_) * step(floats_) : 0;
}

std::int64_t Grid::bytes_sent(int node, const Shape& shape) const {
  if (nodes_ == 1) return 0;
  std::size_t bytes = 0;
  for (const Chunk& chunk : cut(shape)) {
    const std::size_t messages = chunk.owner == node ? nodes_ - 1 : 1;
    bytes += messages * wire_bytes(chunk.wire, chunk.count);
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace oida
