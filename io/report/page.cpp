#include "io/report/page.hpp"

#include <filesystem>
#include <memory>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <md4c-html.h>

#include "core/error.hpp"
#include "io/files.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStyle = R"(
:root{color-scheme:light}
body{font:16px/1.5 "DejaVu Sans",Verdana,Arial,sans-serif;color:#222;background:#fff;
max-width:1280px;margin:0 auto;padding:1rem 1.5rem 4rem}
h1{font-size:1.7rem;border-bottom:3px solid #4477aa;padding-bottom:.3rem}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;border-bottom:1px solid #ccc;padding-bottom:.2rem}
h3{font-size:1.05rem}
table{display:block;width:max-content;max-width:100%;overflow-x:auto;border-collapse:collapse;
font-size:.875rem;font-variant-numeric:tabular-nums;margin:.8rem 0}
th,td{padding:.35rem .7rem;border-bottom:1px solid #ddd;vertical-align:top}
th{background:#eef2f7;border-bottom:2px solid #4477aa;vertical-align:bottom}
td[align=right],td:first-child{white-space:nowrap}
tbody tr:hover{background:#f6f8fb}
p,li{max-width:60rem}
p:has(>img){max-width:none;overflow-x:auto}
img{display:block;margin:1rem 0}
@media(max-width:900px){th{min-width:5rem}}
@media print{body{max-width:none}table,img{break-inside:avoid}img{max-width:100%;height:auto}}
)";

void append(const MD_CHAR* text, MD_SIZE size, void* out) {
  static_cast<std::string*>(out)->append(text, size);
}

std::string to_html(const std::string& path, const std::string& markdown) {
  std::string html;
  const unsigned flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
  if (md_html(markdown.data(), static_cast<MD_SIZE>(markdown.size()), append, &html, flags, 0) !=
      0) {
    throw Error(path, "its text cannot be made a page");
  }
  return html;
}

std::string base64(const std::string& bytes) {
  const std::unique_ptr<char, decltype(&VSIFree)> text(
      CPLBase64Encode(static_cast<int>(bytes.size()), reinterpret_cast<const GByte*>(bytes.data())),
      VSIFree);
  return text.get();
}

/// The picture as a data URI; empty where there is none.
std::string picture_data(const fs::path& picture) {
  const fs::path drawing = fs::path(picture).replace_extension(".svg");
  if (fs::exists(drawing)) {
    return "data:image/svg+xml;base64," + base64(read_whole_file(drawing.string()));
  }
  if (!fs::exists(picture)) return "";
  return "data:image/png;base64," + base64(read_whole_file(picture.string()));
}

/// Puts what each <img src="..."> names into the page.
std::string with_pictures(const std::string& html, const fs::path& folder) {
  const std::string mark = "<img src=\"";
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; (at = html.find(mark, done)) != std::string::npos;) {
    const std::size_t first = at + mark.size();
    const std::size_t end = html.find('"', first);
    out += html.substr(done, first - done) + picture_data(folder / html.substr(first, end - first));
    done = end;
  }
  return out + html.substr(done);
}

/// The first heading without its tags.
std::string title_of(const std::string& html) {
  const std::string open = "<h1>", close = "</h1>";
  const std::size_t from = html.find(open), to = html.find(close);
  return from == std::string::npos || to == std::string::npos
             ? "oida"
             : html.substr(from + open.size(), to - from - open.size());
}

}  // namespace

void write_page(const std::string& path, const std::string& markdown) {
  const std::string body = to_html(path, markdown);
  write_whole_file(path,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
                       title_of(body) + "</title>\n<style>" + kStyle +
                       "</style>\n</head>\n<body>\n" +
                       with_pictures(body, fs::path(path).parent_path()) + "</body>\n</html>\n");
}

}  // namespace oida
