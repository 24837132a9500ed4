#pragma once
// Small facts in XML files of products; namespaces are ignored.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct CPLXMLNode;

namespace oida {

struct XmlElement {
  std::string name;
  std::string text;
  std::map<std::string, std::string> attributes;
};

/// Of elements of one name the first in the file is meant; letters' case does not count.
class XmlFile {
 public:
  /// InputError naming the file when it cannot be read, is larger than 64 MB or is no XML.
  explicit XmlFile(const std::string& path);

  /// Text of the element `name` (anywhere in the file), or of `child` below it.
  std::optional<std::string> text(const std::string& name, const std::string& child = "") const;
  /// The same as a number; nothing where it is missing or no finite number ("NULL").
  std::optional<double> number(const std::string& name, const std::string& child = "") const;
  /// Numbers between blanks; InputError where the element is missing or holds anything else.
  std::vector<double> numbers(const std::string& name) const;
  /// All children of the element `name`, in order; none where it is missing.
  std::vector<XmlElement> children(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(CPLXMLNode* node) const;
  };
  std::string path_;
  std::unique_ptr<CPLXMLNode, Close> root_;
};

}  // namespace oida
