#pragma once
// Small facts in XML files of products; namespaces are ignored.

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct CPLXMLNode;

namespace oida {

class XmlFile {
 public:
  /// InputError naming the file when it cannot be read or is no XML.
  explicit XmlFile(const std::string& path);

  /// Text of the first element `name` (anywhere in the file), or of `child` below it.
  std::optional<std::string> text(const std::string& name, const std::string& child = "") const;
  /// The same as a number; nothing where it is missing or no finite number ("NULL").
  std::optional<double> number(const std::string& name, const std::string& child = "") const;
  /// Numbers between blanks; InputError where the element is missing or holds anything else.
  std::vector<double> numbers(const std::string& name) const;
  /// Texts of all children of the first element `name`, in order.
  std::vector<std::string> texts(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(CPLXMLNode* node) const;
  };
  std::string path_;
  std::unique_ptr<CPLXMLNode, Close> root_;
};

}  // namespace oida
