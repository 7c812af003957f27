// SPDX-License-Identifier: MIT
#include <algorithm>

#include "manyverbs/dataset/internal/list_rows.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

std::string label_text(const Json& label, const std::string& place) {
  if (label.is_string()) return label.get<std::string>();
  if (label.is_number_integer()) return label.dump();
  throw Error("{}: expected a label or a list of labels, found {}", place, label.dump());
}

std::vector<std::string> label_texts(const Json& item, const std::string& place) {
  const Json label = item.value("label", Json());
  if (!label.is_array()) return {label_text(label, place)};
  std::vector<std::string> labels;
  for (const Json& each : label) labels.push_back(label_text(each, place));
  return labels;
}

// An annotation of mmaction2.
ListRow mmaction_row(const Json& item, const std::string& place) {
  ListRow row;
  row.place = place;
  for (const char* key : {"filename", "frame_dir"}) {
    if (item.contains(key) && item[key].is_string()) row.path = item[key].get<std::string>();
  }
  if (row.path.empty()) throw Error("{}: has no \"filename\" or \"frame_dir\"", place);
  if (item.contains("total_frames") && item["total_frames"].is_number_integer()) {
    row.frames = item["total_frames"].get<int>();
  }
  row.labels = label_texts(item, place);
  return row;
}

// The path of an uploaded or local file without what Label Studio puts before it.
std::string file_in_task(const Json& data, const std::string& place) {
  std::string path;
  for (const char* key : {"video", "path", "file", "url"}) {
    if (path.empty() && data.contains(key) && data[key].is_string()) {
      path = data[key].get<std::string>();
    }
  }
  if (path.empty()) throw Error("{}: has no \"video\" in its data", place);
  const std::size_t local = path.find("?d=");
  if (local != std::string::npos) return path.substr(local + 3);
  constexpr std::string_view kUploads = "/data/upload/";
  return path.starts_with(kUploads) ? path.substr(kUploads.size()) : path;
}

// Whether a reviewer has marked an annotation as the truth.
bool is_ground_truth(const Json& annotation) {
  return annotation.is_object() && annotation.value("ground_truth", Json()) == true;
}

// Reads the tasks of Label Studio. Their labels are the choices of the first question in the file;
// if some annotations of a task are marked as ground truth, only theirs.
class TaskReader {
 public:
  TaskReader(std::filesystem::path file, std::filesystem::path videos)
      : file_(std::move(file)), videos_(std::move(videos)) {}

  ListRows read(const Json& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) read_task(tasks[i], i);
    if (unanswered_ > 0) {
      list_.remark = fmt::format("{}: left out {} of {} tasks, which have no choice",
                                 file_.string(), unanswered_, tasks.size());
    }
    return std::move(list_);
  }

 private:
  void read_task(const Json& task, std::size_t index) {
    ListRow row;
    row.place = fmt::format("{}: task {}", file_.string(), index + 1);
    if (!task.is_object() || !task.contains("data") || !task["data"].is_object() ||
        !task.contains("annotations") || !task["annotations"].is_array()) {
      throw Error(
          "{}: expected \"data\" and \"annotations\", as in the JSON export of Label Studio",
          row.place);
    }
    const Json& data = task["data"];
    const Json& annotations = task["annotations"];
    const bool settled = std::any_of(annotations.begin(), annotations.end(), is_ground_truth);
    for (const Json& annotation : annotations) {
      if (!settled || is_ground_truth(annotation)) add_choices(annotation, &row);
    }
    if (row.labels.empty()) {
      ++unanswered_;
      return;
    }
    row.path = found(file_in_task(data, row.place));
    row.name = text_at(data, "clip");
    row.original = text_at(data, "original");
    list_.rows.push_back(std::move(row));
  }

  void add_choices(const Json& annotation, ListRow* row) {
    if (!annotation.is_object() || annotation.value("was_cancelled", Json()) == true) return;
    const Json results = annotation.value("result", Json::array());
    for (const Json& result : results) {
      if (!result.is_object() || text_at(result, "type") != "choices") continue;
      const std::string question = text_at(result, "from_name");
      if (question_.empty()) question_ = question;
      const Json value = result.value("value", Json::object());
      if (question != question_ || !value.is_object()) continue;
      for (const Json& choice : value.value("choices", Json::array())) {
        const std::string label = label_text(choice, row->place);
        if (std::find(row->labels.begin(), row->labels.end(), label) == row->labels.end()) {
          row->labels.push_back(label);
        }
      }
    }
  }

  static std::string text_at(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
  }

  // A file that is not where Label Studio had it may be in the folder of the videos.
  std::string found(const std::string& path) const {
    const std::string name = std::filesystem::path(path).filename().string();
    const bool moved =
        !std::filesystem::exists(videos_ / path) && std::filesystem::exists(videos_ / name);
    return moved ? name : path;
  }

  std::filesystem::path file_;
  std::filesystem::path videos_;
  std::string question_;
  std::size_t unanswered_ = 0;
  ListRows list_{ListLayout::LabelStudio, {}, ""};
};

ListRows rows_of(const Json& json, const std::filesystem::path& file, ListLayout layout,
                 const std::filesystem::path& videos) {
  if (!json.is_array()) throw Error("{}: expected a list of clips", file.string());
  if (layout == ListLayout::LabelStudio) return TaskReader(file, videos).read(json);
  ListRows list{layout, {}, ""};
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string place = fmt::format("{}: clip {}", file.string(), i + 1);
    if (!json[i].is_object()) {
      throw Error("{}: expected an object, found {}", place, json[i].dump());
    }
    list.rows.push_back(mmaction_row(json[i], place));
  }
  return list;
}

}  // namespace

ListRows read_json_list(const std::filesystem::path& file, ListLayout layout,
                        const std::filesystem::path& videos) {
  const Json json = read_json(file);
  const bool is_wrapped = json.is_object() && json.contains("data_list");
  return rows_of(is_wrapped ? json["data_list"] : json, file, layout, videos);
}

}  // namespace manyverbs
