#pragma once
// Elementwise arithmetic in bfloat16, sixteen or 32 values at a time. Needs AVX-512 (F, BW, VL),
// which every CPU with avx512_bf16 has. This header is read by a file compiled for it, so it holds
// nothing that the linker could share with others.

#include <cstddef>
#include <cstdint>

namespace oida::onednn {

/// Rounds to nearest even; a NaN stays one.
void narrow_bf16(const float* from, std::size_t size, std::uint16_t* to);

/// diff = 0 where value <= 0 or NaN.
void mask_bf16(const std::uint16_t* value, std::size_t size, std::uint16_t* diff);

/// One row of the 2x2 max-pool; channels must be a multiple of 16.
/// `row`: values from the upper of the two rows that are read to the lower.
void halve_row_bf16(const std::uint16_t* from, std::ptrdiff_t row, int columns, int channels,
                    std::uint16_t* to, std::uint8_t* taken);

/// `row`: values from the upper of the two rows that are written to the lower.
void spread_row_bf16(const std::uint16_t* diff, const std::uint8_t* taken, int columns,
                     int channels, std::uint16_t* to, std::ptrdiff_t row);

}  // namespace oida::onednn
