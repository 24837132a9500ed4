#include <cstdlib>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace oida {
namespace {

TEST(Devices, VersionIsANumberOrNotBuilt) {
  const std::string version = cuda_version();
  EXPECT_TRUE(std::regex_match(version, std::regex(R"(\d+\.\d+|not built)"))) << version;
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
    EXPECT_TRUE(std::regex_match(devices[k].uuid,
                                 std::regex("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")))
        << devices[k].uuid;
    EXPECT_GT(devices[k].memory_bytes, 1U << 30);
  }
}

}  // namespace
}  // namespace oida
