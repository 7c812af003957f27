// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/review_api.h"

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/query.h"

namespace manyverbs {
namespace {

constexpr std::size_t kMostFound = 20;
constexpr std::size_t kLongestReason = 1000;  // bytes

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string reason_in(const Json& body) {
  auto reason = body_value<std::string>(body, "reason");
  const bool control = std::any_of(reason.begin(), reason.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control || reason.size() > kLongestReason) {
    throw HttpError(400, "a reason must have at most {} characters on one line", kLongestReason);
  }
  return reason;
}

// Sorted, any class of the project: the leader may know better than the model that chose the
// candidates.
std::vector<ClassId> labels_in(const Json& body, const Vocabulary& classes) {
  auto labels = body_value<std::vector<ClassId>>(body, "labels");
  std::sort(labels.begin(), labels.end());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= classes.size()) {
      throw HttpError(400, "class {} does not exist", labels[i]);
    }
    if (i > 0 && labels[i] == labels[i - 1]) {
      throw HttpError(400, "class {} is chosen twice", labels[i]);
    }
  }
  return labels;
}

}  // namespace

const AnnotationTask& ReviewApi::task_with(int number) const {
  const AnnotationTask* task = project_->find_task(number);
  if (task == nullptr) throw HttpError(404, "clip {} does not exist", number);
  return *task;
}

Json ReviewApi::disputes(const std::string& from, const std::string& count) {
  return round_->view([&](const LiveRound::View& view) -> Json {
    const std::vector<Dispute> found = manyverbs::disputes(*view.clips);
    const PageQuery page(from, count);
    Json list = Json::array();
    for (std::size_t i = page.from; i < page.end(found.size()); ++i) {
      list.push_back(clip_json(*project_, *found[i].clip, view.people));
    }
    return {{"total", found.size()}, {"clips", list}};
  });
}

Json ReviewApi::find(const std::string& text) {
  const std::string wanted = lower(text);
  return round_->view([&](const LiveRound::View& view) -> Json {
    std::vector<const AnsweredClip*> found;
    for (const AnsweredClip& clip : *view.clips) {
      const bool is_number = std::to_string(clip.task->number) == text;
      if (!is_number && lower(clip.task->clip).find(wanted) == std::string::npos) continue;
      found.insert(is_number ? found.begin() : found.end(), &clip);
    }
    Json list = Json::array();
    for (std::size_t i = 0; i < found.size() && i < kMostFound; ++i) {
      list.push_back({{"task", found[i]->task->number},
                      {"clip", found[i]->task->clip},
                      {"answers", found[i]->answers.size()},
                      {"decided", found[i]->decision.has_value()}});
    }
    return {{"total", found.size()}, {"clips", list}};
  });
}

Json ReviewApi::clip_json_of(int task) {
  const auto place = static_cast<std::size_t>(&task_with(task) - project_->tasks.data());
  return round_->view([&](const LiveRound::View& view) {
    return clip_json(*project_, (*view.clips)[place], view.people);
  });
}

Json ReviewApi::clip(const std::string& task) {
  Json json = clip_json_of(query_number(task, 0, "task"));
  json["classes"] = project_->classes.names();
  return json;
}

Json ReviewApi::answers(const std::string& person, const std::string& from,
                        const std::string& count) {
  const Person who = store_->person(query_number(person, 0, "person"));
  return round_->view([&](const LiveRound::View& view) -> Json {
    const std::vector<StoredAnswer> given = view.statistics->answers_of(who.id);
    const PageQuery page(from, count);
    Json list = Json::array();
    for (std::size_t i = page.from; i < page.end(given.size()); ++i) {
      const Answer& answer = given[i].answer;
      const auto place =
          static_cast<std::size_t>(&task_with(given[i].task) - project_->tasks.data());
      std::vector<std::string> chosen;
      for (const ClassId verb : answer.chosen) chosen.push_back(project_->classes.name(verb));
      list.push_back({{"chosen", chosen},
                      {"confident", answer.confident},
                      {"nothing", answer.nothing},
                      {"seconds", static_cast<double>(answer.milliseconds) / 1000},
                      {"time", time_text(given[i].time)},
                      {"clip", clip_json(*project_, (*view.clips)[place], view.people)}});
    }
    return {{"name", who.name},
            {"state", state_name(who.state)},
            {"total", given.size()},
            {"answers", list}};
  });
}

Json ReviewApi::decisions(const std::string& from, const std::string& count) {
  return round_->view([&](const LiveRound::View& view) -> Json {
    std::vector<const AnsweredClip*> decided;
    for (const AnsweredClip& clip : *view.clips) {
      if (clip.decision) decided.push_back(&clip);
    }
    std::stable_sort(decided.begin(), decided.end(), [](const auto* a, const auto* b) {
      return a->decision->time > b->decision->time;
    });
    const PageQuery page(from, count);
    Json list = Json::array();
    for (std::size_t i = page.from; i < page.end(decided.size()); ++i) {
      list.push_back(clip_json(*project_, *decided[i], view.people));
    }
    return {{"total", decided.size()}, {"clips", list}};
  });
}

Json ReviewApi::decide(const Json& body, const Author& by) {
  Decision decision;
  decision.task = task_with(body_value<int>(body, "task")).number;
  decision.labels = labels_in(body, project_->classes);
  decision.reason = reason_in(body);
  if (decision.leaves_out() && decision.reason.find_first_not_of(' ') == std::string::npos) {
    throw HttpError(400, "give a reason why the clip is left out");
  }
  store_->decide(decision, by);
  return clip_json_of(decision.task);
}

Json ReviewApi::undo(const Json& body, const Author& by) {
  const int task = task_with(body_value<int>(body, "task")).number;
  store_->undo_decision(task, by);
  return clip_json_of(task);
}

}  // namespace manyverbs
