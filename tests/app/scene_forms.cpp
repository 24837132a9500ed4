// scene_forms T3 ROWS COLS OUT: the T3 folder (raw float32, little-endian) as OUT/big_endian (ENVI
// with swapped bytes), OUT/stack.tif (bands in another order), OUT/beam.nc (HDF5, big-endian
// floats) and OUT/C3, all without the program's own readers and writers.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gdal_priv.h>
#include <hdf5.h>

namespace {

namespace fs = std::filesystem;
using Planes = std::vector<std::vector<float>>;

const std::array<std::string, 9> kNames = {"T11", "T12_real", "T12_imag", "T13_real", "T13_imag",
                                           "T22", "T23_real", "T23_imag", "T33"};

struct Scene {
  int rows = 0, cols = 0;
  Planes planes;
};

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

Scene read_scene(const fs::path& folder, int rows, int cols) {
  Scene scene{rows, cols, {}};
  const std::size_t bytes = 4 * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  for (const auto& name : kNames) {
    scene.planes.emplace_back(bytes / 4);
    std::ifstream file(folder / (name + ".bin"), std::ios::binary);
    file.read(reinterpret_cast<char*>(scene.planes.back().data()),
              static_cast<std::streamsize>(bytes));
    check(static_cast<bool>(file), name + " cannot be read");
  }
  return scene;
}

void write_envi(const fs::path& file, const Scene& scene, std::vector<float> plane, int order) {
  for (float& value : plane) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    value = std::bit_cast<float>(order == 1 ? __builtin_bswap32(bits) : bits);
  }
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(plane.data()),
             static_cast<std::streamsize>(4 * plane.size()));
  std::ofstream(file.string() + ".hdr")
      << "ENVI\nsamples = " << scene.cols << "\nlines = " << scene.rows
      << "\nbands = 1\nheader offset = 0\nfile type = ENVI Standard\ndata type = 4\n"
         "interleave = bsq\nbyte order = "
      << order << '\n';
}

void write_stack(const fs::path& file, const Scene& scene) {
  GDALDataset* stack = GetGDALDriverManager()->GetDriverByName("GTiff")->Create(
      file.c_str(), scene.cols, scene.rows, 9, GDT_Float32, nullptr);
  check(stack != nullptr, "the stack cannot be made");
  for (int band = 1; band <= 9; ++band) {
    const auto element = static_cast<std::size_t>(9 - band);
    stack->GetRasterBand(band)->SetDescription(kNames[element].c_str());
    auto plane = scene.planes[element];
    check(stack->GetRasterBand(band)->RasterIO(GF_Write, 0, 0, scene.cols, scene.rows, plane.data(),
                                               scene.cols, scene.rows, GDT_Float32, 0, 0,
                                               nullptr) == CE_None,
          "the stack cannot be written");
  }
  GDALClose(stack);
}

void write_beam(const fs::path& path, const Scene& scene) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const std::array<hsize_t, 2> size{static_cast<hsize_t>(scene.rows),
                                    static_cast<hsize_t>(scene.cols)};
  const hid_t space = H5Screate_simple(2, size.data(), nullptr);
  for (std::size_t e = 0; e < kNames.size(); ++e) {
    const hid_t set = H5Dcreate2(file, kNames[e].c_str(), H5T_IEEE_F32BE, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    check(
        H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, scene.planes[e].data()) >= 0,
        "the NetCDF cannot be written");
    H5Dclose(set);
  }
  H5Sclose(space);
  H5Fclose(file);
}

/// C3 of the T3 (Lee and Pottier 2009, eq. 3.41 solved for C).
Planes covariance(const Planes& t) {
  Planes c(9, std::vector<float>(t[0].size()));
  const double root = std::sqrt(2.0);
  for (std::size_t i = 0; i < t[0].size(); ++i) {
    std::array<double, 9> v{};
    for (std::size_t e = 0; e < 9; ++e) v[e] = static_cast<double>(t[e][i]);
    const std::array<double, 9> wanted = {(v[0] + v[5] + 2 * v[1]) / 2,
                                          (v[3] + v[6]) / root,
                                          (v[4] + v[7]) / root,
                                          (v[0] - v[5]) / 2,
                                          -v[2],
                                          v[8],
                                          (v[3] - v[6]) / root,
                                          (v[7] - v[4]) / root,
                                          (v[0] + v[5] - 2 * v[1]) / 2};
    for (std::size_t e = 0; e < 9; ++e) c[e][i] = static_cast<float>(wanted[e]);
  }
  return c;
}

void write_forms(const Scene& scene, const fs::path& out) {
  GDALAllRegister();
  const Planes c3 = covariance(scene.planes);
  for (std::size_t e = 0; e < kNames.size(); ++e) {
    write_envi(out / "big_endian" / (kNames[e] + ".bin"), scene, scene.planes[e], 1);
    write_envi(out / "C3" / ("C" + kNames[e].substr(1) + ".bin"), scene, c3[e], 0);
  }
  write_stack(out / "stack.tif", scene);
  write_beam(out / "beam.nc", scene);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    check(argc == 5, "usage: scene_forms T3 ROWS COLS OUT");
    write_forms(read_scene(argv[1], std::stoi(argv[2]), std::stoi(argv[3])), argv[4]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "scene_forms: " << error.what() << '\n';
    return 1;
  }
}
