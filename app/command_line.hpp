#pragma once
// Strict parsing of command lines and decks: no abbreviations, errors in the program's own words.

#include <string>
#include <vector>

#include <boost/program_options.hpp>

namespace oida::app {

enum class Places { once, repeat_last };
inline constexpr Places kRepeatLast = Places::repeat_last;

/// Long options only, "--key=value" or "--key value"; `places` are the positional arguments in
/// order; with kRepeatLast the last of them takes all that are left.
boost::program_options::variables_map parse_command_line(
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options,
    const std::vector<std::string>& places, Places repeat = Places::once);

/// InputError that names the key where the error has one, else `where`.
[[noreturn]] void rethrow(const boost::program_options::error& error, const std::string& where);

std::string to_text(const boost::program_options::options_description& options);

}  // namespace oida::app
