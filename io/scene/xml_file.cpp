#include "io/scene/xml_file.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <cpl_minixml.h>

#include "core/error.hpp"
#include "io/gdal.hpp"

namespace oida {
namespace {

/// Far above any product's annotation.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

void XmlFile::Close::operator()(CPLXMLNode* node) const {
  CPLDestroyXMLNode(node);
}

XmlFile::XmlFile(const std::string& path) : path_(path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(path, "cannot be read: " + error.message());
  if (bytes > kMostBytes) throw InputError(path, "is too large for a product's XML");
  GdalErrors errors;
  root_.reset(CPLParseXMLFile(path.c_str()));
  if (!root_) throw InputError(path, "is no XML: " + errors.text());
  CPLStripXMLNamespace(root_.get(), nullptr, TRUE);
}

std::optional<std::string> XmlFile::text(const std::string& name, const std::string& child) const {
  CPLXMLNode* node = CPLSearchXMLNode(root_.get(), ("=" + name).c_str());
  const char* value = node == nullptr
                          ? nullptr
                          : CPLGetXMLValue(node, child.empty() ? nullptr : child.c_str(), nullptr);
  return value == nullptr ? std::nullopt : std::optional(trimmed(value));
}

std::optional<double> XmlFile::number(const std::string& name, const std::string& child) const {
  const auto value = text(name, child);
  return value ? number_of(*value) : std::nullopt;
}

std::vector<double> XmlFile::numbers(const std::string& name) const {
  const auto value = text(name);
  if (!value) throw InputError(path_, "has no element " + name);
  std::vector<double> out;
  std::istringstream stream(*value);
  for (std::string word; stream >> word;) {
    const auto number = number_of(word);
    if (!number) throw InputError(path_, "has '" + word + "' among the numbers of " + name);
    out.push_back(*number);
  }
  return out;
}

std::vector<XmlElement> XmlFile::children(const std::string& name) const {
  std::vector<XmlElement> out;
  const CPLXMLNode* node = CPLSearchXMLNode(root_.get(), ("=" + name).c_str());
  for (node = node == nullptr ? nullptr : node->psChild; node != nullptr; node = node->psNext) {
    if (node->eType != CXT_Element) continue;
    XmlElement element{node->pszValue, trimmed(CPLGetXMLValue(node, nullptr, "")), {}};
    for (const CPLXMLNode* part = node->psChild; part != nullptr; part = part->psNext) {
      if (part->eType != CXT_Attribute) continue;
      element.attributes[part->pszValue] = CPLGetXMLValue(part, nullptr, "");
    }
    out.push_back(std::move(element));
  }
  return out;
}

}  // namespace oida
