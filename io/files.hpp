#pragma once
// Whole-file writes: a file is there as it should be, or not at all.

#include <string>
#include <string_view>

namespace oida {

/// The name under which a file is written before it gets its own; in the same folder.
std::string part_name(const std::string& path);

/// Syncs the finished file `part_name(path)`, gives it its own name and syncs the folder. Error
/// naming `path`.
void publish(const std::string& path);

/// Writes, syncs and renames. Error naming `path`.
void write_whole_file(const std::string& path, std::string_view bytes);

/// Error naming `path` when it cannot be read.
std::string read_whole_file(const std::string& path);

/// Text that a person or a product's processor wrote: InputError naming `path` when it cannot be
/// read or does not end within 16 MB.
std::string read_text_file(const std::string& path);

/// Makes a folder and those above it. Error naming `path`.
void make_folder(const std::string& path);

/// Text of errno.
std::string system_error_text(int error);

}  // namespace oida
