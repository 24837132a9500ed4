#pragma once
// A report as one HTML file that stands alone.

#include <string>

namespace oida {

/// Writes `markdown` as a page to `path`: style and pictures are inside it, nothing is fetched. A
/// picture is looked for beside `path`; where a PNG has an SVG of the same name, that is taken, so
/// that figures stay sharp. One that is not there becomes its title. Error naming the file.
void write_page(const std::string& path, const std::string& markdown);

}  // namespace oida
