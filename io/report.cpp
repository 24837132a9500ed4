#include "io/report.hpp"
namespace oida { void write_run_report(const std::string&) {} }
