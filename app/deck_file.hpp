#pragma once
// Decks as files: INI with comments, environment variables and a deck that they start from.

#include <string>

#include <boost/program_options.hpp>

namespace oida::app {

/// Adds to `values` what they lack: first what `file` sets, then what the deck that its key
/// deck.base names (beside it) sets, and so on; then runs the notifiers. InputError naming the file
/// or the key.
void store_deck(const std::string& file, const boost::program_options::options_description& options,
                boost::program_options::variables_map& values);

}  // namespace oida::app
