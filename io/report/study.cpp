#include "io/report/study.hpp"

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/report/page.hpp"
#include "io/report/study_runs.hpp"

namespace oida {

StudyCounts write_study(const std::vector<std::string>& runs, const StudyOptions& options,
                        const std::string& out) {
  Study study = make_study(read_study_runs(runs), options.kind, options.baseline);
  study.title = options.title;
  make_folder(out);
  std::string why;
  std::vector<std::string> figures;
  try {
    figures = draw_study(study, out, why);
  } catch (const nlohmann::json::exception& error) {
    throw Error(out, std::string("a timing.json is not as expected: ") + error.what());
  }
  const std::string text = scaling_text(study, figures, why);
  write_whole_file(out + "/scaling.csv", scaling_csv(study));
  write_whole_file(out + "/runs.csv", runs_csv(study));
  write_whole_file(out + "/scaling.md", text);
  write_page(out + "/scaling.html", text);
  StudyCounts counts;
  for (const auto& run : study.runs) {
    ++counts.runs;
    counts.finished += run.finished() ? 1 : 0;
  }
  return counts;
}

}  // namespace oida
