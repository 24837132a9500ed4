#include "io/scene/xml_file.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "io/gdal.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

using testing::expect_refusal;
using testing::TempFolder;
using testing::write_text;

class XmlFileTest : public ::testing::Test {
 protected:
  XmlFileTest() {
    start_gdal();
    write_text(path_, R"(<p:product xmlns:p="urn:p"><p:images n="2">
        <p:image pole="HH" beam=" A "> hh.tif </p:image><table/>
      </p:images><images><image>other</image></images><size>12</size></p:product>)");
  }
  TempFolder folder_;
  std::string path_ = folder_ / "product.xml";
};

TEST_F(XmlFileTest, GivesTheChildrenOfTheFirstElementOfAName) {
  const auto children = XmlFile(path_).children("images");
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[0].name, "image");
  EXPECT_EQ(children[0].text, "hh.tif");
  const std::map<std::string, std::string> attributes{{"pole", "HH"}, {"beam", " A "}};
  EXPECT_EQ(children[0].attributes, attributes);
  EXPECT_EQ(children[1].name, "table");
  EXPECT_EQ(children[1].text, "");
  EXPECT_TRUE(children[1].attributes.empty());
}

TEST_F(XmlFileTest, HasNothingWhereAnElementIsMissing) {
  const XmlFile file(path_);
  EXPECT_TRUE(file.children("image2").empty());
  EXPECT_EQ(file.text("images", "size"), std::nullopt);
  EXPECT_EQ(file.number("size"), 12.0);
}

/// Before anything of it is read: 64 MB and a byte that take no room on the disk.
TEST_F(XmlFileTest, RefusesWhatNoProductWrites) {
  std::filesystem::resize_file(path_, (std::uintmax_t{64} << 20) + 1);
  expect_refusal([&] { XmlFile{path_}; }, {path_, "too large"});
  write_text(path_, "<product><image></product>");
  expect_refusal([&] { XmlFile{path_}; }, {path_, "is no XML"});
}

}  // namespace
}  // namespace oida
