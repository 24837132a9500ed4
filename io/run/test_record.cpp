// test.json: how well the model does on the test part.

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/run/run_directory.hpp"

namespace oida {
namespace {

using Json = nlohmann::ordered_json;

Json class_table(const TestRecord& record) {
  Json rows = Json::array();
  for (std::size_t c = 0; c < record.scores.per_class.size(); ++c) {
    const ClassScore& score = record.scores.per_class[c];
    rows.push_back({{"name", record.classes.names[c]},
                    {"samples", score.samples},
                    {"recall", score.recall},
                    {"precision", score.precision},
                    {"f1", score.f1},
                    {"iou", score.iou}});
  }
  return rows;
}

Json matrix(const Confusion& confusion) {
  Json rows = Json::array();
  for (int truth = 0; truth < confusion.classes(); ++truth) {
    Json row = Json::array();
    for (int said = 0; said < confusion.classes(); ++said) row.push_back(confusion.at(truth, said));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json block_table(const TestRecord& record) {
  Json rows = Json::array();
  for (const BlockScore& block : record.blocks) {
    rows.push_back({{"scene", block.scene},
                    {"row", block.row},
                    {"col", block.col},
                    {"rows", block.rows},
                    {"cols", block.cols},
                    {"samples", block.samples},
                    {"correct", block.correct}});
  }
  return rows;
}

}  // namespace

Json to_json(const TestRecord& record) {
  const auto count = static_cast<std::size_t>(record.classes.size());
  if (record.scores.per_class.size() != count ||
      static_cast<std::size_t>(record.confusion.classes()) != count) {
    throw Error("test.json", "scores, confusion and class names are of different sizes");
  }
  return {{"n", record.scores.n},
          {"oa", record.scores.oa},
          {"oa_standard_error", block_standard_error(record.blocks)},
          {"aa", record.scores.aa},
          {"kappa", record.scores.kappa},
          {"f1_macro", record.scores.f1_macro},
          {"miou", record.scores.miou},
          {"split", {{"kind", record.split_kind}, {"leaky", record.leaky}}},
          {"classes", class_table(record)},
          {"confusion", matrix(record.confusion)},
          {"blocks", block_table(record)},
          {"warnings", record.warnings}};
}

}  // namespace oida
