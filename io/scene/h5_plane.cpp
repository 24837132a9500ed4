#include "io/scene/h5_plane.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <utility>

#include "io/h5_types.hpp"

namespace oida {
namespace {

/// No compression of a scene reaches this.
constexpr std::uint64_t kMostCompression = 1000;
constexpr hsize_t kMostTexts = 4096;

/// The type in memory: float, or two floats under the file's own names. Invalid for other classes.
H5Handle memory_type(hid_t stored) {
  const H5T_class_t kind = H5Tget_class(stored);
  if (kind == H5T_FLOAT || kind == H5T_INTEGER) return {H5Tcopy(H5T_NATIVE_FLOAT), H5Tclose};
  if (kind != H5T_COMPOUND || H5Tget_nmembers(stored) != 2) return {};
  H5Handle pair(H5Tcreate(H5T_COMPOUND, 2 * sizeof(float)), H5Tclose);
  for (unsigned part = 0; part < 2; ++part) {
    const H5T_class_t member = H5Tget_member_class(stored, part);
    if (member != H5T_FLOAT && member != H5T_INTEGER) return {};
    char* name = H5Tget_member_name(stored, part);
    if (name == nullptr) return {};
    const herr_t done = H5Tinsert(pair.get(), name, part * sizeof(float), H5T_NATIVE_FLOAT);
    H5free_memory(name);
    if (done < 0) return {};
  }
  return pair;
}

std::string trimmed(const char* bytes, std::size_t size) {
  std::string text(bytes, std::find(bytes, bytes + size, '\0'));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> fixed_texts(hid_t dataset, hid_t type, std::size_t count) {
  const std::size_t length = H5Tget_size(type);
  std::string bytes(length * count, '\0');
  std::vector<std::string> out;
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) return out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(trimmed(&bytes[i * length], length));
  return out;
}

std::vector<std::string> variable_texts(hid_t dataset, hid_t type, hid_t space, std::size_t count) {
  std::vector<char*> pointers(count, nullptr);
  std::vector<std::string> out;
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0) return out;
  for (const char* text : pointers) {
    out.push_back(text == nullptr ? "" : trimmed(text, std::char_traits<char>::length(text)));
  }
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  return out;
}

class H5Plane final : public Plane {
 public:
  H5Plane(std::shared_ptr<H5Handle> file, std::string path, std::string name, H5Handle dataset,
          H5Handle type, const H5Dims& dims, std::size_t stored_bytes)
      : file_(std::move(file)),
        path_(std::move(path)),
        name_(std::move(name)),
        dataset_(std::move(dataset)),
        type_(std::move(type)),
        rows_(static_cast<int>(dims[0])),
        cols_(static_cast<int>(dims[1])),
        stored_bytes_(static_cast<std::int64_t>(stored_bytes)) {}

  const std::string& path() const override { return path_; }
  int rows() const override { return rows_; }
  int cols() const override { return cols_; }
  bool complex() const override { return H5Tget_class(type_.get()) == H5T_COMPOUND; }
  std::int64_t bytes_read() const override { return bytes_read_; }

  void read(const Window& window, float* real, float* imaginary) override {
    const auto count =
        static_cast<std::size_t>(window.rows) * static_cast<std::size_t>(window.cols);
    if (imaginary == nullptr) {
      read_raw(window, real);
      return;
    }
    buffer_.resize(2 * count);
    read_raw(window, buffer_.data());
    for (std::size_t i = 0; i < count; ++i) {
      real[i] = buffer_[2 * i];
      imaginary[i] = buffer_[2 * i + 1];
    }
  }

 private:
  void read_raw(const Window& window, float* out) {
    const H5Quiet quiet;
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(window.row),
                                       static_cast<hsize_t>(window.col)};
    const std::array<hsize_t, 2> count{static_cast<hsize_t>(window.rows),
                                       static_cast<hsize_t>(window.cols)};
    const H5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
    const H5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    const bool read =
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) >= 0 &&
        H5Dread(dataset_.get(), type_.get(), memory.get(), space.get(), H5P_DEFAULT, out) >= 0;
    if (!read) throw InputError(path_, "dataset " + name_ + " cannot be read: it is damaged");
    bytes_read_ += stored_bytes_ * window.rows * window.cols;
  }

  std::shared_ptr<H5Handle> file_;
  std::string path_, name_;
  H5Handle dataset_, type_;
  int rows_, cols_;
  std::int64_t stored_bytes_;
  std::int64_t bytes_read_ = 0;
  std::vector<float> buffer_;
};

}  // namespace

H5Product::H5Product(const std::string& path) : path_(path) {
  auto [file, bytes] = open_h5(path, Exit::refused);
  file_ = std::make_shared<H5Handle>(std::move(file));
  file_bytes_ = bytes;
}

void H5Product::refuse(const std::string& what) const {
  throw InputError(path_, what);
}

bool H5Product::has(const std::string& name) const {
  const H5Quiet quiet;
  // Every link on the way has to be there.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    if (H5Lexists(file_->get(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

H5Handle H5Product::dataset(const std::string& name) const {
  const H5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  constexpr std::size_t kSlots = 10007;  // a prime well above the number of chunks kept
  H5Pset_chunk_cache(access.get(), kSlots, kChunkCacheBytes, 1.0);
  H5Handle id(H5Dopen2(file_->get(), name.c_str(), access.get()), H5Dclose);
  if (!id.valid()) refuse("dataset " + name + " is missing or damaged");
  if (!lies_in_its_file(id.get())) refuse("dataset " + name + " lies in other files");
  return id;
}

H5Dims H5Product::dims(const std::string& name, hid_t dataset) const {
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > 3 || !type.valid()) refuse("dataset " + name + " is damaged");
  H5Dims out(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), out.data(), nullptr);
  std::uint64_t bytes = H5Tget_size(type.get());
  for (const hsize_t dim : out) {
    const bool can_be = dim <= std::numeric_limits<int>::max() &&
                        (dim == 0 || bytes <= kMostCompression * file_bytes_ / dim);
    if (!can_be) refuse("dataset " + name + " is larger than its file can hold");
    bytes *= dim;
  }
  return out;
}

std::vector<std::string> H5Product::texts(const std::string& name) const {
  const H5Quiet quiet;
  const H5Handle id = dataset(name);
  const H5Handle type(H5Dget_type(id.get()), H5Tclose);
  const H5Handle space(H5Dget_space(id.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING) refuse("dataset " + name + " is no text");
  std::uint64_t count = 1;
  for (const hsize_t dim : dims(name, id.get())) count *= dim;
  if (count > kMostTexts) refuse("dataset " + name + " has " + std::to_string(count) + " texts");
  const auto out = H5Tis_variable_str(type.get()) > 0
                       ? variable_texts(id.get(), type.get(), space.get(), count)
                       : fixed_texts(id.get(), type.get(), count);
  if (out.size() != count) refuse("dataset " + name + " cannot be read");
  return out;
}

std::vector<double> H5Product::numbers(const std::string& name) const {
  const H5Quiet quiet;
  const H5Handle id = dataset(name);
  const H5Handle type(H5Dget_type(id.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  std::uint64_t count = 1;
  for (const hsize_t dim : dims(name, id.get())) count *= dim;
  std::vector<double> values(count);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) ||
      H5Dread(id.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    refuse("dataset " + name + " holds no numbers");
  }
  return values;
}

std::optional<double> H5Product::number(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  const auto values = numbers(name);
  return values.empty() ? std::nullopt : std::optional(values.front());
}

std::unique_ptr<Plane> H5Product::plane(const std::string& name) const {
  const H5Quiet quiet;
  H5Handle id = dataset(name);
  const H5Handle stored(H5Dget_type(id.get()), H5Tclose);
  H5Handle type = memory_type(stored.get());
  const H5Dims size = dims(name, id.get());
  if (!type.valid() || size.size() != 2 || size[0] == 0 || size[1] == 0) {
    refuse("dataset " + name + " is no raster of real or complex numbers");
  }
  return std::make_unique<H5Plane>(file_, path_, name, std::move(id), std::move(type), size,
                                   H5Tget_size(stored.get()));
}

bool is_h5(const std::string& path) {
  std::array<char, 8> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return file && std::string_view(start.data(), start.size()) == "\x89HDF\r\n\x1a\n";
}

}  // namespace oida
