#include "io/small_scenes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "io/gdal.hpp"
#include "io/h5_writing.hpp"
#include "io/product_writing.hpp"
#include "io/scene/scene_cache.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida::testing {
namespace {

namespace fs = std::filesystem;

void make_polsarpro(const std::string& folder) {
  write_small_scene(folder);
}

void make_headerless(const std::string& folder) {
  write_small_scene(folder);
  for (const auto& name : files_in(folder)) {
    if (name.ends_with(".hdr")) fs::remove(folder + "/" + name);
  }
}

void make_dimap(const std::string& folder) {
  for (const auto element : kT3Elements) {
    const std::string stem = folder + "/s.data/" + std::string(element);
    write_floats(stem + ".img", std::vector<float>(12, 2));
    write_text(stem + ".hdr", small_header());
  }
}

void make_geotiff(const std::string& folder) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  char** options = CSLSetNameValue(nullptr, "COMPRESS", "DEFLATE");
  GdalDataset file(driver->Create((folder + "/s.tif").c_str(), 8, 9, 9, GDT_Float32, options));
  CSLDestroy(options);
  std::vector<float> values(72, 3);
  for (int e = 0; e < 9; ++e) {
    file->GetRasterBand(e + 1)->SetDescription(
        std::string(kT3Elements[static_cast<std::size_t>(e)]).c_str());
    if (file->GetRasterBand(e + 1)->RasterIO(GF_Write, 0, 0, 8, 9, values.data(), 8, 9, GDT_Float32,
                                             0, 0, nullptr) != CE_None) {
      throw std::runtime_error("no GeoTIFF");
    }
  }
}

void make_nisar(const std::string& folder) {
  H5Writer file(folder + "/s.h5");
  const std::string group = "/science/LSAR/GCOV/grids/frequencyA/";
  file.texts(group + "listOfCovarianceTerms", {"HHHH", "HVHV", "HHHV"}, 4);
  file.real(group + "HHHH", 4, 3, std::vector<float>(12, 2));
  file.real(group + "HVHV", 4, 3, std::vector<float>(12, 2));
  file.complex(group + "HHHV", 4, 3, std::vector<float>(24, 1));
  file.bytes(group + "mask", 4, 3, std::vector<char>(12, 1));
  file.numbers(group + "xCoordinates", {1, 2, 3});
  file.numbers(group + "yCoordinates", {4, 3, 2, 1});
  file.numbers(group + "projection", {32631});
}

void make_cache(const std::string& folder) {
  write_small_scene(folder + "/T3");
  const auto scene = open_scene(folder + "/T3");
  make_scene_cache(folder + "/s.h5", *scene);
  fs::remove_all(folder + "/T3");
}

void make_alos2(const std::string& folder) {
  for (const char* name : {"HH", "HV"}) {
    std::string image(720, ' ');
    image.replace(236, 8, "       2");
    image.replace(248, 8, "       3");
    image += std::string(2 * (544 + 24), '\x3f');
    write_text(folder + "/IMG-" + name + "-ALOS2", image);
  }
}

void make_uavsar(const std::string& folder) {
  std::string text = "mlc_mag.set_rows (pixels) = 2 ; rows\nmlc_mag.set_cols (pixels) = 3\n";
  for (const char* term : {"HHHH", "HHHV", "HHVV", "HVHV", "HVVV", "VVVV"}) {
    const std::string name = std::string("a_") + term + ".mlc";
    const bool power = std::string_view(term).substr(0, 2) == std::string_view(term).substr(2);
    text += std::string("mlc") + term + " = " + name + "\n";
    write_floats(folder + "/" + name, std::vector<float>(power ? 6 : 12, 1));
  }
  write_text(folder + "/a.ann", text);
}

void make_rs2_image(const std::string& path) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  const GdalDataset file(driver->Create(path.c_str(), 3, 2, 2, GDT_Int16, nullptr));
  if (!file) throw std::runtime_error("no GeoTIFF");
}

void make_radarsat2(const std::string& folder) {
  write_text(folder + "/product.xml",
             "<product xmlns=\"http://www.rsi.ca/rs2/prod/xml/schemas\"><imageGenerationParameters>"
             "<generalProcessingInformation><productType>SLC</productType>"
             "</generalProcessingInformation></imageGenerationParameters><imageAttributes>"
             "<rasterAttributes><dataType>Complex</dataType>"
             "<bitsPerSample dataStream=\"Real\">16</bitsPerSample>"
             "<numberOfSamplesPerLine>3</numberOfSamplesPerLine><numberOfLines>2</numberOfLines>"
             "</rasterAttributes>"
             "<lookupTable incidenceAngleCorrection=\"Sigma Nought\">lut.xml</lookupTable>"
             "<fullResolutionImageData pole=\"HH\">HH.tif</fullResolutionImageData>"
             "<fullResolutionImageData pole=\"HV\">HV.tif</fullResolutionImageData>"
             "</imageAttributes></product>");
  write_text(folder + "/lut.xml", "<lut><offset>0.0</offset><gains>2.0 4.0 8.0</gains></lut>");
  for (const char* name : {"/HH.tif", "/HV.tif"}) make_rs2_image(folder + name);
}

void make_airsar(const std::string& folder) {
  std::string header;
  for (const char* line :
       {"RECORD LENGTH IN BYTES = 1000", "NUMBER OF HEADER RECORDS = 1",
        "NUMBER OF SAMPLES PER RECORD = 100", "NUMBER OF LINES IN IMAGE = 2",
        "NUMBER OF BYTES PER SAMPLE = 10", "JPL AIRCRAFT SAR PROCESSOR VERSION 6.10",
        "DATA TYPE = BYTE", "BYTE OFFSET OF FIRST DATA RECORD = 1000"}) {
    header += line;
    header.resize((header.size() + 49) / 50 * 50, ' ');
  }
  header.resize(1000, ' ');
  write_text(folder + "/s.dat", header + std::string(2000, '\5'));
}

void make_gaofen3(const std::string& folder) {
  write_text(folder + "/GF3_A.meta.xml",
             tag("p", tag("QualifyValue", tag("HH", "100.5") + tag("HV", "50")) +
                          tag("CalibrationConst", tag("HH", "10") + tag("HV", "NULL"))));
  write_tiff(folder + "/GF3_HH_L1A.tiff", GDT_Int16, 2, 10);
  write_tiff(folder + "/GF3_HV_L1A.tiff", GDT_Int16, 2, 20);
}

void make_rcm(const std::string& folder) {
  write_tiff(folder + "/imagery/RCM_HH_SLC.tif", GDT_Int16, 2, 10);
  write_tiff(folder + "/imagery/RCM_HV_SLC.tif", GDT_Int16, 2, 20);
  fs::create_directories(folder + "/metadata/calibration");
  write_text(folder + "/metadata/product.xml",
             "<product xmlns=\"rcmGsProductSchema\">" + tag("productType", "SLC") + "</product>");
  for (const char* name : {"HH", "HV"}) {
    write_text(
        folder + "/metadata/calibration/lutSigma_" + name + ".xml",
        tag("lut", tag("pixelFirstLutValue", "0") + tag("stepSize", "1") + tag("gains", "2 3 4")));
  }
}

void make_biomass(const std::string& folder) {
  write_tiff(folder + "/measurement/bio_i_abs.tiff", GDT_Float32, 2, 10);
  write_tiff(folder + "/measurement/bio_i_phase.tiff", GDT_Float32, 2, 0);
  fs::create_directories(folder + "/annotation");
  write_text(folder + "/annotation/bio_annot.xml",
             tag("a", tag("polarisationList", tag("p", "HH") + tag("p", "HV"))));
  H5Writer table(folder + "/annotation/bio_lut.nc");
  table.real("/radiometry/sigmaNought", 1, 2, {1, 2});
}

constexpr std::array kScenes = {
    SmallScene{"polsarpro", make_polsarpro, ""}, SmallScene{"headerless", make_headerless, ""},
    SmallScene{"dimap", make_dimap, "/s.data"},  SmallScene{"geotiff", make_geotiff, "/s.tif"},
    SmallScene{"nisar", make_nisar, "/s.h5"},    SmallScene{"cache", make_cache, "/s.h5"},
    SmallScene{"alos2", make_alos2, ""},         SmallScene{"uavsar", make_uavsar, ""},
    SmallScene{"radarsat2", make_radarsat2, ""}, SmallScene{"airsar", make_airsar, "/s.dat"},
    SmallScene{"gaofen3", make_gaofen3, ""},     SmallScene{"rcm", make_rcm, ""},
    SmallScene{"biomass", make_biomass, ""}};

}  // namespace

std::span<const SmallScene> small_scenes() {
  return kScenes;
}

void read_some(SceneSource& scene) {
  constexpr int kMost = 64;
  const SceneInfo& info = scene.info();
  scene.read({0, 0, std::min(info.rows, kMost), std::min(info.cols, kMost)});
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace oida::testing
