#pragma once
// Target decompositions of one coherency matrix; `t` in kT3Elements order.

#include <array>

namespace oida {

struct HAAlpha {
  double entropy = 0.0;                 // 0 .. 1
  double anisotropy = 0.0;              // 0 .. 1
  double alpha_deg = 0.0;               // 0 .. 90
  std::array<double, 3> eigenvalues{};  // descending, as they are
};

/// Cloude and Pottier, IEEE TGRS 35 (1997) 68: p_i = l_i / sum l, H = -sum p_i log3 p_i,
/// alpha = sum p_i acos |e_i1|, and A = (l2 - l3) / (l2 + l3) (Pottier 1998; Lee and Pottier 2009,
/// section 7.2). Eigenvalues below zero count as zero; without any power all are zero.
HAAlpha h_a_alpha(const std::array<double, 9>& t);

/// Powers of three mechanisms; their sum is the span.
struct FreemanDurden {
  double surface = 0.0, double_bounce = 0.0, volume = 0.0;
};

/// Freeman and Durden, IEEE TGRS 36 (1998) 963, eqs. 1 to 13, written for the powers: of what the
/// volume f_v (1, 1/3, 1/3, 1) leaves of |HH|^2, |VV|^2 and HH VV*, the weaker of surface and
/// double bounce is alpha = -1 where Re HH VV* >= 0, else beta = 1. Where the volume takes more
/// than |HH|^2 or |VV|^2, the whole span is volume; a remaining |HH VV*| longer than its powers
/// allow is shortened, so no power is negative (the paper does not say; both are common practice).
FreemanDurden freeman_durden(const std::array<double, 9>& t);

}  // namespace oida
