// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/live_guide.h"

#include <algorithm>
#include <array>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/log.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

constexpr std::array<const char*, 3> kGuideFiles = {"instructions.md", "definitions.csv",
                                                    "strings.csv"};

// Changes when a file changes. All writers replace the file, which gives it another time.
std::string stamp_of(const std::filesystem::path& folder) {
  std::string stamp;
  for (const char* name : kGuideFiles) {
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(folder / name, missing);
    const auto size = missing ? 0 : std::filesystem::file_size(folder / name, missing);
    stamp += missing ? "-;" : fmt::format("{} {};", time.time_since_epoch().count(), size);
  }
  return stamp;
}

std::string text_of(const AnnotationProject& project, const std::string& name) {
  const std::filesystem::path path = project.folder / name;
  if (std::filesystem::exists(path)) return read_file(path);
  return name == "instructions.md" ? std::string(default_instructions(project.language)) : "";
}

// Such a file is removed: the built-in instructions, or no definitions or strings.
bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \r\n") == std::string::npos;
}

Json row_json(const std::string& name, const std::string& text, const std::string& before) {
  return {{"name", name}, {"text", text}, {"before", before}};
}

// What the text of a file means, as the page shows it. Throws Error if it is invalid.
Json preview_of(const AnnotationProject& project, const std::string& name,
                const std::string& text) {
  Json rows = Json::array();
  if (name == "instructions.md") {
    const std::string shown = parse_instructions(text, name);
    return {{"instructions", shown}, {"rows", rows}};
  }
  if (is_blank(text)) return {{"instructions", ""}, {"rows", rows}};
  if (name == "definitions.csv") {
    for (const auto& [id, definition] : parse_definitions(text, name, project.classes)) {
      rows.push_back(row_json(project.classes.name(id), definition, ""));
    }
  } else {
    const AnnotatorStrings built_in = built_in_strings(project.language);
    for (const auto& [key, shown] : parse_strings(text, name)) {
      rows.push_back(row_json(key, shown, built_in.at(key)));
    }
  }
  return {{"instructions", ""}, {"rows", rows}};
}

}  // namespace

LiveGuide::LiveGuide(const AnnotationProject* project)
    : project_(project),
      stamp_(stamp_of(project->folder)),
      guide_(std::make_shared<AnnotatorGuide>(read_guide(*project))) {}

std::shared_ptr<const AnnotatorGuide> LiveGuide::guide() {
  const std::lock_guard lock(mutex_);
  const std::string stamp = stamp_of(project_->folder);
  if (stamp == stamp_) return guide_;
  stamp_ = stamp;
  try {
    guide_ = std::make_shared<AnnotatorGuide>(read_guide(*project_));
  } catch (const Error& problem) {
    log_problem(fmt::format("{}; annotators still read the previous text", problem.what()));
  }
  return guide_;
}

Json GuideApi::file_json(const std::string& name) const {
  const std::string text = text_of(*project_, name);
  Json json = {{"file", name},
               {"text", text},
               {"hash", text_hash(text)},
               {"exists", std::filesystem::exists(project_->folder / name)},
               {"problem", ""}};
  try {
    json.update(preview_of(*project_, name, text));
  } catch (const Error& problem) {
    json["problem"] = problem.what();
    json.update({{"instructions", ""}, {"rows", Json::array()}});
  }
  return json;
}

Json GuideApi::files() {
  Json list = Json::array();
  for (const char* name : kGuideFiles) list.push_back(file_json(name));
  return {{"files", list},
          {"language", project_->language},
          {"classes", project_->classes.names()},
          {"strings", built_in_strings(project_->language)}};
}

Json GuideApi::change(const Json& body, const Author& by) {
  const auto name = body_value<std::string>(body, "file");
  const auto text = body_value<std::string>(body, "text");
  if (std::find(kGuideFiles.begin(), kGuideFiles.end(), name) == kGuideFiles.end()) {
    throw HttpError(404, "'{}' is not a file of the guide", name);
  }
  Json preview;
  try {
    preview = preview_of(*project_, name, text);
  } catch (const Error& problem) {
    throw HttpError(400, "{}", problem.what());
  }
  if (!body_value<bool>(body, "save")) return preview;
  const std::lock_guard lock(saving_);
  if (text_hash(text_of(*project_, name)) != body_value<std::string>(body, "hash")) {
    throw HttpError(409, "somebody else has changed {} in the meantime; load it again", name);
  }
  const std::filesystem::path path = project_->folder / name;
  if (is_blank(text)) {
    std::filesystem::remove(path);
  } else {
    write_file(path, text);
    make_private(path);
  }
  store_->note(by, "edited", name);
  return file_json(name);
}

}  // namespace manyverbs
