// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/settings.h"

#include <array>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/meta.h"

namespace manyverbs {
namespace {

constexpr std::array<std::string_view, 2> kOrders = {"complete", "informative"};

}  // namespace

Json settings_json(const AnnotationSettings& settings) {
  return {{"people", settings.people},
          {"hold_minutes", settings.hold_minutes},
          {"least_found", settings.least_found},
          {"least_verbs", settings.least_verbs},
          {"most_chosen", settings.most_chosen},
          {"least_seconds", settings.least_seconds},
          {"most_same_keys", settings.most_same_keys},
          {"least_agreement", settings.least_agreement},
          {"order", clip_order_name(settings.order)},
          {"gold_at_start", settings.gold_at_start},
          {"gold_every", settings.gold_every},
          {"gold_answers", settings.gold_answers},
          {"least_gold", settings.least_gold},
          {"gold_pauses", settings.gold_pauses},
          {"closed", settings.closed},
          {"deadline", settings.deadline ? Json(time_text(*settings.deadline)) : Json(nullptr)},
          {"quota", settings.quota},
          {"link_days", settings.link_days}};
}

AnnotationSettings settings_in(const std::string& text) {
  AnnotationSettings settings;
  if (text.empty()) return settings;
  const Json json = Json::parse(text);
  settings.people = json.at("people").get<int>();
  settings.hold_minutes = json.at("hold_minutes").get<int>();
  settings.least_found = json.at("least_found").get<double>();
  settings.least_verbs = json.at("least_verbs").get<double>();
  settings.most_chosen = json.at("most_chosen").get<double>();
  settings.least_seconds = json.at("least_seconds").get<double>();
  settings.most_same_keys = json.at("most_same_keys").get<double>();
  settings.least_agreement = json.at("least_agreement").get<double>();
  // Earlier versions had one order only.
  if (json.contains("order")) settings.order = find_clip_order(json.at("order").get<std::string>());
  if (json.contains("gold_every")) {  // and no gold clips
    settings.gold_at_start = json.at("gold_at_start").get<int>();
    settings.gold_every = json.at("gold_every").get<int>();
    settings.gold_answers = json.at("gold_answers").get<int>();
    settings.least_gold = json.at("least_gold").get<double>();
    settings.gold_pauses = json.at("gold_pauses").get<bool>();
  }
  settings.closed = json.value("closed", false);
  settings.quota = json.value("quota", 0);
  settings.link_days = json.value("link_days", settings.link_days);
  if (json.contains("deadline") && json.at("deadline").is_string()) {
    settings.deadline = time_in(json.at("deadline").get<std::string>());
  }
  return settings;
}

AnnotationSettings settings_of(soci::session& sql) {
  return settings_in(meta_value(sql, "settings"));
}

std::string_view clip_order_name(ClipOrder order) { return kOrders[static_cast<int>(order)]; }

ClipOrder find_clip_order(std::string_view name) {
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    if (kOrders[i] == name) return static_cast<ClipOrder>(i);
  }
  throw HttpError(400, "unknown order '{}'; valid values: complete, informative", name);
}

}  // namespace manyverbs
