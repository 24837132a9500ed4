#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <matio.h>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/scene/labels_detail.hpp"

namespace oida {
namespace {

struct MatClose {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatFile = std::unique_ptr<mat_t, MatClose>;
using MatVariable = std::unique_ptr<matvar_t, MatClose>;

bool is_numeric_matrix(const matvar_t& variable) {
  const bool numeric = variable.class_type >= MAT_C_DOUBLE && variable.class_type <= MAT_C_UINT64;
  return numeric && variable.rank == 2 && variable.isComplex == 0 &&
         variable.dims[0] * variable.dims[1] > 1;
}

std::vector<MatVariable> numeric_matrices(mat_t* file) {
  std::vector<MatVariable> found;
  while (MatVariable variable{Mat_VarReadNextInfo(file)}) {
    if (is_numeric_matrix(*variable)) found.push_back(std::move(variable));
  }
  return found;
}

/// The only matrix, or the only one of the right size among several.
MatVariable choose(const std::string& path, std::vector<MatVariable> matrices, int rows, int cols) {
  if (matrices.empty()) throw InputError(path, "holds no matrix of numbers");
  if (matrices.size() == 1) return std::move(matrices.front());
  MatVariable* chosen = nullptr;
  std::string names;
  for (auto& matrix : matrices) {
    names += (names.empty() ? "" : ", ") + std::string(matrix->name);
    if (matrix->dims[0] != static_cast<std::size_t>(rows) ||
        matrix->dims[1] != static_cast<std::size_t>(cols)) {
      continue;
    }
    if (chosen != nullptr) throw InputError(path, "holds more than one label matrix: " + names);
    chosen = &matrix;
  }
  return std::move(chosen == nullptr ? matrices.front() : *chosen);
}

/// MATLAB stores columns one after another.
template <typename T>
void transpose_ids(const matvar_t& matrix, LabelRaster& out) {
  const std::span<const T> values(static_cast<const T*>(matrix.data), out.ids.size());
  const auto rows = static_cast<std::size_t>(out.rows);
  const auto cols = static_cast<std::size_t>(out.cols);
  for (std::size_t col = 0; col < cols; ++col) {
    for (std::size_t row = 0; row < rows; ++row) {
      out.ids[row * cols + col] = label_id(out.path, static_cast<double>(values[col * rows + row]));
    }
  }
}

void take_ids(const matvar_t& matrix, LabelRaster& out) {
  switch (matrix.class_type) {
    case MAT_C_DOUBLE:
      return transpose_ids<double>(matrix, out);
    case MAT_C_SINGLE:
      return transpose_ids<float>(matrix, out);
    case MAT_C_INT8:
      return transpose_ids<std::int8_t>(matrix, out);
    case MAT_C_UINT8:
      return transpose_ids<std::uint8_t>(matrix, out);
    case MAT_C_INT16:
      return transpose_ids<std::int16_t>(matrix, out);
    case MAT_C_UINT16:
      return transpose_ids<std::uint16_t>(matrix, out);
    case MAT_C_INT32:
      return transpose_ids<std::int32_t>(matrix, out);
    case MAT_C_UINT32:
      return transpose_ids<std::uint32_t>(matrix, out);
    case MAT_C_INT64:
      return transpose_ids<std::int64_t>(matrix, out);
    case MAT_C_UINT64:
      return transpose_ids<std::uint64_t>(matrix, out);
    default:
      throw InputError(out.path, "holds a matrix of an unknown class");
  }
}

/// matio takes the rest of a cut file for zeros. A v5 file is a header of 128 bytes (16-bit version
/// at 124, byte order mark at 126) and elements of a tag (32-bit type, 32-bit length) and their
/// bytes, to its end ("MAT-File Format", MathWorks).
void check_whole(const std::string& path) {
  constexpr std::size_t kHeader = 128, kTag = 8;
  const std::string bytes = read_whole_file(path);
  if (bytes.size() < kHeader || bytes.compare(124, 4, std::string("\0\1IM", 4)) != 0) return;
  std::size_t at = kHeader;
  while (at + kTag <= bytes.size()) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, sizeof length);
    at += kTag + length;
  }
  if (at != bytes.size()) throw InputError(path, "is cut off");
}

}  // namespace

LabelRaster read_mat_labels(const std::string& path, int rows, int cols) {
  Mat_LogInitFunc("oida", [](int, char*) {});
  const MatFile file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw InputError(path, "is not a MATLAB file, or is damaged");
  check_whole(path);
  const MatVariable matrix = choose(path, numeric_matrices(file.get()), rows, cols);
  check_label_size(path, matrix->dims[0], matrix->dims[1], rows, cols);
  LabelRaster out;
  out.path = path;
  out.rows = rows;
  out.cols = cols;
  out.ids.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  if (Mat_VarReadDataAll(file.get(), matrix.get()) != 0 || matrix->data == nullptr ||
      matrix->nbytes != out.ids.size() * static_cast<std::size_t>(matrix->data_size)) {
    throw InputError(path, std::string("variable ") + matrix->name + " is damaged");
  }
  take_ids(*matrix, out);
  return out;
}

}  // namespace oida
