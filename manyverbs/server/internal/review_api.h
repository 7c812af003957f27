// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/server/internal/live_round.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The calls of the leader's page about clips and answers, described in web/src/annotation/api.ts:
/// disputes, any clip, the answers of a person, and decisions. Each throws HttpError for an invalid
/// request.
class ReviewApi {
 public:
  ReviewApi(const AnnotationProject* project, AnnotationStore* store, LiveRound* round)
      : project_(project), store_(store), round_(round) {}

  Json disputes(const std::string& from, const std::string& count);
  /// The clips whose number is `text` or whose name contains it, and the first ones for "".
  Json find(const std::string& text);
  Json clip(const std::string& task);
  Json answers(const std::string& person, const std::string& from, const std::string& count);
  Json decisions(const std::string& from, const std::string& count);
  Json decide(const Json& body, const Author& by);
  Json undo(const Json& body, const Author& by);

 private:
  const AnnotationTask& task_with(int number) const;
  Json clip_json_of(int task);

  const AnnotationProject* project_;
  AnnotationStore* store_;
  LiveRound* round_;
};

}  // namespace manyverbs
