// What a run leaves behind, looked at from outside with other readers than the program's own.
//   run_check record RUN RESTARTS    run.json: its keys, and that it counts so many restarts
//   run_check timing RUN             timing.json: its keys, sums and shares
//   run_check files RUN              test.json, metrics.csv, model.h5 and the pictures can be read
//   run_check rasters RUN            probabilities and entropy fit each other and the class map
//   run_check same_map A.tif B.tif   equal size and pixels
//   run_check bad_batch FILE         the batch of a run that was given up: whole, parameters bad
//   run_check widen A.h5 B.h5        makes a model for features that are not its own
// Exit code 1 and a line on stderr for each thing that is not as contract says.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <gdal_priv.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;

int failures = 0;

void check(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "run_check: " << what << '\n';
  ++failures;
}

Json read_json(const std::string& path) {
  std::ifstream stream(path);
  Json json = Json::parse(stream, nullptr, false);
  check(json.is_object(), path + " is not a JSON object");
  return json.is_object() ? json : Json::object();
}

void check_keys(const Json& json, const std::vector<std::string>& keys, const std::string& where) {
  for (const auto& key : keys) check(json.contains(key), where + " lacks " + key);
}

double number(const Json& json, const std::string& key) {
  return json.contains(key) && json[key].is_number() ? json[key].get<double>() : std::nan("");
}

void check_close(double found, double wanted, double tolerance, const std::string& what) {
  std::ostringstream text;
  text << what << " is " << found << ", expected " << wanted;
  check(std::abs(found - wanted) <= tolerance, text.str());
}

void check_record(const std::string& run, const std::string& restarts) {
  const Json record = read_json(run + "/run.json");
  check_keys(record,
             {"deck", "versions", "slurm", "placement", "shards", "restarts", "interleave_plan",
              "kernels"},
             "run.json");
  check(record.value("restarts", -1) == std::stoi(restarts),
        "restarts is " + record.value("restarts", Json()).dump() + ", expected " + restarts);
  check_keys(record.value("versions", Json::object()), {"git"}, "run.json versions");
  const Json placement = record.value("placement", Json::array());
  const Json shards = record.value("shards", Json::array());
  check(!placement.empty() && placement.size() == shards.size(),
        "run.json has not a placement and a shard for each rank");
  for (const auto& rank : placement) {
    check_keys(rank, {"rank", "host", "node_rank", "cores"}, "run.json placement");
  }
  for (const auto& shard : shards) check_keys(shard, {"checksum"}, "run.json shards");
}

double sum(const Json& unit, const std::vector<std::string>& keys) {
  double total = 0;
  for (const auto& key : keys) total += number(unit, key);
  return total;
}

double sum_over_units(const Json& timing, const std::string& key) {
  double total = 0;
  for (const auto& unit : timing["per_rank"]) total += number(unit, key);
  return total;
}

void check_unit(const Json& unit, double train_s) {
  check_keys(unit, {"rank", "host", "read_s", "exchange_s", "step_ms"}, "per_rank");
  const double parts =
      sum(unit, {"data_wait_s", "compute_s", "exposed_s", "validate_s", "checkpoint_s", "other_s"});
  // Ranks leave the barrier at which train_s starts one after the other, in some milliseconds.
  check_close(parts, train_s, std::max(0.01 * train_s, 0.02),
              "sum of the phases of rank " + unit["rank"].dump());
  const Json steps = unit.value("step_ms", Json::object());
  const bool ordered = number(steps, "min") <= number(steps, "median") &&
                       number(steps, "median") <= number(steps, "p95") &&
                       number(steps, "p95") <= number(steps, "max");
  check(ordered && number(steps, "min") > 0, "step_ms is not in order: " + steps.dump());
}

void check_shares(const Json& timing) {
  const double exposed = sum_over_units(timing, "exposed_s");
  const double exchange = sum_over_units(timing, "exchange_s");
  const double ranks = number(timing, "ranks");
  check_close(number(timing, "idle_share"), exposed / (ranks * number(timing, "train_s")), 1e-9,
              "idle_share");
  if (exchange > 0) {
    check_close(number(timing, "hidden_share"), 1 - exposed / exchange, 1e-9, "hidden_share");
  } else {
    check(timing["hidden_share"].is_null(), "hidden_share without exchange is not null");
  }
  double most = 0;
  for (const auto& unit : timing["per_rank"]) most = std::max(most, number(unit, "compute_s"));
  check_close(number(timing, "imbalance"), most * ranks / sum_over_units(timing, "compute_s") - 1,
              1e-9, "imbalance");
}

void check_timing(const std::string& run) {
  const Json timing = read_json(run + "/timing.json");
  const Json record = read_json(run + "/run.json");
  check_keys(
      timing,
      {"schema",       "exchange",   "device",       "nodes",     "ranks",     "units_per_node",
       "samples",      "pixels",     "train_s",      "startup_s", "warmup_s",  "samples_per_s",
       "pixels_per_s", "idle_share", "hidden_share", "imbalance", "exchanges", "bytes_per_exchange",
       "wire",         "interleave", "per_rank"},
      "timing.json");
  const bool dense = record["deck"]["model"]["output"] == "dense";
  const char* side = dense ? "tile_px" : "patch_px";
  const double patch_px = std::stod(record["deck"]["data"][side].get<std::string>());
  const double train_s = number(timing, "train_s");
  check(number(timing, "schema") == 1, "schema is not 1");
  check(number(timing, "samples") > 0, "no samples");
  check_close(number(timing, "pixels"), number(timing, "samples") * patch_px * patch_px, 0,
              "pixels");
  check_close(number(timing, "samples_per_s") * train_s, number(timing, "samples"), 1e-3,
              "samples_per_s x train_s");
  check_close(number(timing, "pixels_per_s") * train_s, number(timing, "pixels"), 1e-1,
              "pixels_per_s x train_s");
  check(timing["per_rank"].size() == static_cast<std::size_t>(number(timing, "ranks")),
        "per_rank has not an entry a rank");
  for (const auto& unit : timing["per_rank"]) check_unit(unit, train_s);
  check_shares(timing);
}

void check_metrics(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  check(line ==
            "round,step,samples,wall_s,train_loss,validation_loss,oa,interleave,learning_rate,"
            "optimum",
        path + " has the head '" + line + "'");
  int rows = 0;
  for (; std::getline(stream, line); ++rows) {
    check(std::count(line.begin(), line.end(), ',') == 9, path + " has the row '" + line + "'");
  }
  check(rows > 0, path + " has no rows");
}

void check_test(const std::string& path) {
  const Json test = read_json(path);
  check_keys(test, {"n", "oa", "aa", "kappa", "f1_macro", "miou", "split", "classes", "confusion"},
             path);
  double all = 0;
  double right = 0;
  for (std::size_t i = 0; i < test["confusion"].size(); ++i) {
    for (const auto& n : test["confusion"][i]) all += n.get<double>();
    right += test["confusion"][i][i].get<double>();
  }
  check_close(number(test, "n"), all, 0, "n of test.json");
  check_close(number(test, "oa"), right / all, 1e-9, "oa of test.json");
}

void check_model(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  check(file >= 0, path + " is not HDF5");
  if (file < 0) return;
  const hid_t group = H5Gopen2(file, "/parameters", H5P_DEFAULT);
  H5G_info_t info{};
  check(group >= 0 && H5Gget_info(group, &info) >= 0 && info.nlinks > 0,
        path + " has no parameters");
  if (group >= 0) H5Gclose(group);
  H5Fclose(file);
}

void check_files(const std::string& run) {
  check_metrics(run + "/metrics.csv");
  check_test(run + "/test.json");
  check_model(run + "/model.h5");
  for (const char* name : {"quicklook.png", "class_map.png", "class_map.tif"}) {
    const GDALDatasetUniquePtr raster(GDALDataset::Open((run + "/" + name).c_str()));
    check(raster != nullptr && raster->GetRasterXSize() > 0, std::string(name) + " is no raster");
  }
}

std::vector<float> floats(hid_t file, const char* name, int rank, hsize_t* dims) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return {};
  const hid_t space = H5Dget_space(set);
  std::vector<float> values;
  if (H5Sget_simple_extent_ndims(space) == rank) {
    H5Sget_simple_extent_dims(space, dims, nullptr);
    values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

void check_bad_batch(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  check(file >= 0, path + " is not HDF5");
  if (file < 0) return;
  hsize_t places[2] = {0, 0};
  hsize_t pixels[4] = {0, 0, 0, 0};
  floats(file, "samples", 2, places);
  const auto input = floats(file, "input", 4, pixels);
  check(places[0] > 0 && places[1] == 4, path + " names no samples");
  check(pixels[0] == places[0], path + " has not a patch a sample");
  check(std::all_of(input.begin(), input.end(), [](float x) { return std::isfinite(x); }),
        path + ": the scene was finite, its patches are not");
  const hid_t group = H5Gopen2(file, "parameters", H5P_DEFAULT);
  const hid_t count = group < 0 ? -1 : H5Aopen(group, "not_finite", H5P_DEFAULT);
  long long bad = 0;
  check(count >= 0 && H5Aread(count, H5T_NATIVE_LLONG, &bad) >= 0 && bad > 0,
        path + ": the parameters are finite");
  if (count >= 0) H5Aclose(count);
  if (group >= 0) H5Gclose(group);
  H5Fclose(file);
}

/// A copy of the model whose network takes one channel more than its features give.
void widen(const std::string& model, const std::string& copy) {
  std::filesystem::copy_file(model, copy);
  const hid_t file = H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t group = H5Gopen2(file, "network", H5P_DEFAULT);
  const hid_t old = H5Aopen(group, "input_channels", H5P_DEFAULT);
  const hid_t space = H5Aget_space(old);
  long long channels = 0;
  check(H5Aread(old, H5T_NATIVE_LLONG, &channels) >= 0, model + " has no input_channels");
  ++channels;
  H5Aclose(old);
  H5Adelete(group, "input_channels");
  const hid_t attribute =
      H5Acreate2(group, "input_channels", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  check(H5Awrite(attribute, H5T_NATIVE_LLONG, &channels) >= 0, copy + " cannot be changed");
  H5Aclose(attribute);
  H5Sclose(space);
  H5Gclose(group);
  H5Fclose(file);
}

std::vector<unsigned char> pixels(const std::string& path, int& rows, int& cols) {
  const GDALDatasetUniquePtr raster(GDALDataset::Open(path.c_str()));
  if (raster == nullptr) return {};
  rows = raster->GetRasterYSize();
  cols = raster->GetRasterXSize();
  std::vector<unsigned char> values(static_cast<std::size_t>(rows) *
                                    static_cast<std::size_t>(cols));
  const CPLErr error = raster->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, cols, rows, values.data(),
                                                          cols, rows, GDT_Byte, 0, 0, nullptr);
  check(error == CE_None, path + " cannot be read");
  return values;
}

/// Bands of float32, pixel by pixel.
std::vector<float> numbers(const std::string& path, int& bands) {
  const GDALDatasetUniquePtr raster(GDALDataset::Open(path.c_str()));
  check(raster != nullptr, path + " is no raster");
  if (raster == nullptr) return {};
  bands = raster->GetRasterCount();
  const int rows = raster->GetRasterYSize();
  const int cols = raster->GetRasterXSize();
  std::vector<float> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) *
                            static_cast<std::size_t>(bands));
  const GSpacing pixel = 4 * static_cast<GSpacing>(bands);
  const CPLErr error =
      raster->RasterIO(GF_Read, 0, 0, cols, rows, values.data(), cols, rows, GDT_Float32, bands,
                       nullptr, pixel, pixel * cols, 4, nullptr);
  check(error == CE_None, path + " cannot be read");
  return values;
}

void check_pixel(const float* p, std::size_t classes, int id, float entropy) {
  double all = 0;
  double bits = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double share = static_cast<double>(p[c]);
    all += share;
    if (share > 0) bits -= share * std::log2(share);
  }
  check_close(all, 1, 1e-5, "sum of a pixel's probabilities");
  check_close(static_cast<double>(entropy), bits / std::log2(static_cast<double>(classes)), 1e-5,
              "entropy of a pixel");
  check(std::max_element(p, p + classes) - p == id - 1, "the class map is not the most probable");
}

void check_rasters(const std::string& run) {
  int rows = 0;
  int cols = 0;
  int classes = 0;
  int one = 0;
  const auto ids = pixels(run + "/class_map.tif", rows, cols);
  const auto probabilities = numbers(run + "/probabilities.tif", classes);
  const auto entropy = numbers(run + "/entropy.tif", one);
  const auto bands = static_cast<std::size_t>(classes);
  check(one == 1 && classes > 1 && probabilities.size() == ids.size() * bands, "sizes differ");
  for (std::size_t i = 0; i < ids.size() && failures == 0; ++i) {
    check_pixel(probabilities.data() + i * bands, bands, ids[i], entropy[i]);
  }
}

void check_same_map(const std::string& a, const std::string& b) {
  int rows[2] = {0, 0};
  int cols[2] = {0, 0};
  const auto left = pixels(a, rows[0], cols[0]);
  const auto right = pixels(b, rows[1], cols[1]);
  check(!left.empty(), a + " is no raster");
  check(rows[0] == rows[1] && cols[0] == cols[1], a + " and " + b + " differ in size");
  check(left == right, a + " and " + b + " differ");
  check(std::any_of(left.begin(), left.end(), [](unsigned char c) { return c != 0; }),
        a + " has no class anywhere");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string verb = arguments.empty() ? "" : arguments[0];
  GDALAllRegister();
  try {
    if (verb == "record" && argc == 4) {
      check_record(arguments[1], arguments[2]);
    } else if (verb == "timing" && argc == 3) {
      check_timing(arguments[1]);
    } else if (verb == "files" && argc == 3) {
      check_files(arguments[1]);
    } else if (verb == "rasters" && argc == 3) {
      check_rasters(arguments[1]);
    } else if (verb == "bad_batch" && argc == 3) {
      check_bad_batch(arguments[1]);
    } else if (verb == "same_map" && argc == 4) {
      check_same_map(arguments[1], arguments[2]);
    } else if (verb == "widen" && argc == 4) {
      widen(arguments[1], arguments[2]);
    } else {
      check(false,
            "usage: record RUN RESTARTS | timing RUN | files RUN | rasters RUN | bad_batch FILE | "
            "same_map A B | "
            "widen A B");
    }
  } catch (const std::exception& error) {
    check(false, error.what());
  }
  return failures > 0 ? 1 : 0;
}
