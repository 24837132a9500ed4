#pragma once
// One row of the 2x2 max-pool in bfloat16, sixteen channels at a time. Needs AVX-512 (F, BW, VL),
// which every CPU with avx512_bf16 has; channels must be a multiple of 16.

#include <cstddef>
#include <cstdint>

namespace oida::onednn {

/// `row`: values from the upper of the two rows that are read to the lower.
void halve_row_bf16(const std::uint16_t* from, std::ptrdiff_t row, int columns, int channels,
                    std::uint16_t* to, std::uint8_t* taken);

/// `row`: values from the upper of the two rows that are written to the lower.
void spread_row_bf16(const std::uint16_t* diff, const std::uint8_t* taken, int columns,
                     int channels, std::uint16_t* to, std::ptrdiff_t row);

}  // namespace oida::onednn
