#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace oida {
namespace {

/// The text with every hexadecimal digit as x.
std::string form_of(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isxdigit(c) != 0; }, 'x');
  return text;
}

TEST(Devices, VersionIsANumberOrNotBuilt) {
  const std::string version = cuda_version();
  const std::string form = form_of(version);
  EXPECT_TRUE(form == "xx.x" || version == "not built") << version;
}

TEST(Devices, AreNamedWhereThereAreSome) {
  const auto devices = gpu_devices();
  const char* required = std::getenv("OIDA_REQUIRE_GPU");
  if (devices.empty() && (required == nullptr || std::string(required) != "1")) {
    GTEST_SKIP() << "no GPU seen (CUDA " << cuda_version() << ")";
  }
  ASSERT_FALSE(devices.empty()) << "OIDA_REQUIRE_GPU=1";
  for (std::size_t k = 0; k < devices.size(); ++k) {
    EXPECT_EQ(devices[k].ordinal, static_cast<int>(k));
    EXPECT_FALSE(devices[k].name.empty());
    EXPECT_EQ(form_of(devices[k].uuid), "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    EXPECT_GT(devices[k].memory_bytes, 1U << 30);
  }
}

TEST(Devices, AreSharedOutByTheRankOnTheNode) {
  const std::vector<Device> two{{0, "a", "GPU-a", 1}, {1, "b", "GPU-b", 1}};
  EXPECT_EQ(gpu_of(two, 0).uuid, "GPU-a");
  EXPECT_EQ(gpu_of(two, 1).uuid, "GPU-b");
  EXPECT_EQ(gpu_of(two, 2).uuid, "GPU-a");
  const std::vector<Device> own{two[1]};  // a launcher that binds
  EXPECT_EQ(gpu_of(own, 3).uuid, "GPU-b");
}

}  // namespace
}  // namespace oida
