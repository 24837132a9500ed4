#include "io/run/h5_parameters.hpp"

#include <algorithm>

namespace oida {
namespace {

H5Dims dims_of(const Parameter& parameter) {
  H5Dims dims;
  for (const int dim : parameter.dims) dims.push_back(static_cast<hsize_t>(dim));
  return dims;
}

}  // namespace

void write_parameters(H5Out& file, const std::string& group, const Network& network,
                      std::span<const float> values) {
  if (values.size() != parameter_count(network)) {
    throw Error(group, "has " + std::to_string(values.size()) + " values where the network has " +
                           std::to_string(parameter_count(network)));
  }
  for (const Parameter& parameter : parameters(network)) {
    file.write(group + "/" + parameter.name, values.subspan(parameter.offset, parameter.size),
               dims_of(parameter));
  }
}

std::vector<float> read_parameters(const H5In& file, const std::string& group,
                                   const Network& network) {
  const std::size_t count = parameter_count(network);
  if (count > file.file_bytes() / sizeof(float)) file.refuse("is too short for its network");
  std::vector<float> values(count);
  for (const Parameter& parameter : parameters(network)) {
    const std::string name = group + "/" + parameter.name;
    H5Dims dims;
    const auto read = file.read<float>(name, &dims);
    if (dims != dims_of(parameter)) file.refuse("dataset " + name + " does not fit the network");
    std::copy(read.begin(), read.end(),
              values.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
  }
  return values;
}

}  // namespace oida
