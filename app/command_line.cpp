#include "command_line.hpp"

#include <sstream>

#include "core/error.hpp"

namespace po = boost::program_options;

namespace oida::app {

po::variables_map parse_command_line(const std::vector<std::string>& arguments,
                                     const po::options_description& options,
                                     const std::vector<std::string>& places, Places repeat) {
  po::positional_options_description positional;
  for (const auto& place : places) {
    const bool rest = repeat == Places::repeat_last && &place == &places.back();
    positional.add(place.c_str(), rest ? -1 : 1);
  }
  namespace style = po::command_line_style;
  po::variables_map values;
  try {
    po::store(po::command_line_parser(arguments)
                  .options(options)
                  .positional(positional)
                  .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                  .run(),
              values);
  } catch (const po::error& error) {
    rethrow(error, "command line");
  }
  return values;
}

void rethrow(const po::error& error, const std::string& where) {
  if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&error)) {
    throw InputError(where, "unknown key '" + unknown->get_option_name() + "'; --help lists them");
  }
  if (const auto* invalid = dynamic_cast<const po::invalid_option_value*>(&error)) {
    throw InputError(invalid->get_option_name(), error.what());
  }
  if (const auto* named = dynamic_cast<const po::error_with_option_name*>(&error)) {
    throw InputError(named->get_option_name().empty() ? where : named->get_option_name(),
                     error.what());
  }
  throw InputError(where, error.what());
}

std::string to_text(const po::options_description& options) {
  std::ostringstream text;
  text << options;
  return text.str();
}

}  // namespace oida::app
