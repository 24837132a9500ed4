#pragma once
// How a sum is cut. Positions are cut into a grid; its chunks go round the lanes, then round the
// nodes: chunk c belongs to lane c mod lanes and is owned by node (c / lanes) mod nodes. Where
// there is one node each lane has one chunk.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/nodes.hpp"
#include "comm/wire.hpp"

namespace oida {

/// Of one operation: see Exchange::start.
struct Shape {
  std::size_t size = 0;
  std::size_t exact = 0;
  std::size_t position = 0;
  bool operator==(const Shape&) const = default;
};

/// Whether two operations round floats at the same positions.
bool overlap(const Shape& a, const Shape& b);

struct Chunk {
  std::size_t begin;  // in the buffer
  std::size_t count;
  int lane;
  int owner;              // node
  int tag;                // tells a lane's chunks of one owner apart, below kChunkTags
  Wire wire;              // fp32 for exact words
  std::size_t remainder;  // where its lane keeps what rounding left out, on a lossy wire
};

inline constexpr int kChunkTags = 128;

class Grid {
 public:
  /// `floats` is ExchangeOptions::floats.
  Grid(const Nodes& nodes, Wire wire, std::size_t floats);

  /// Error where floats to be rounded lie beyond the grid.
  void check(const Shape& shape) const;
  /// All chunks of an operation, of all lanes, none of them empty. @pre check(shape)
  std::vector<Chunk> cut(const Shape& shape) const;
  /// Floats of remainders of a lane.
  std::size_t remainders(int lane) const;
  /// Bytes that node `node` sends for one operation.
  std::int64_t bytes_sent(int node, const Shape& shape) const;

 private:
  void cut(std::size_t first, std::size_t last, std::size_t origin, std::size_t step, Wire wire,
           std::vector<Chunk>& into) const;
  std::size_t step(std::size_t floats) const;
  std::size_t rounded(const Shape& shape) const;

  std::size_t lanes_;
  std::size_t nodes_;
  Wire wire_;  // fp32 where there is one node
  std::size_t floats_;
};

}  // namespace oida
