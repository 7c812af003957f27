// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/annotate.h"
#include "cli/dataset_text.h"
#include "manyverbs/server/internal/remarks.h"
#include "manyverbs/server/internal/statistics.h"
#include "manyverbs/support/internal/display.h"

namespace manyverbs::cli {
namespace {

constexpr int kPersonWidth = 20;
constexpr std::size_t kClipsShown = 5;  // of an entered verb

std::string number_or_dash(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}

void print_project(const AnnotationProject& project, const ProjectStatistics& statistics,
                   int people) {
  fmt::print("{}: {}, {} each\n", project.folder.string(),
             counted(statistics.clips, "clip", "clips"), counted(people, "person", "people"));
  fmt::print("  complete         {:>6}\n", grouped(statistics.complete));
  if (statistics.settled > 0) {
    fmt::print("    settled        {:>6}  by the leader\n", grouped(statistics.settled));
  }
  for (const auto& [outcome, clips] : statistics.outcomes) {
    if (outcome == Outcome::Kept || outcome == Outcome::Incomplete) continue;
    // The other outcomes are subsets of the complete clips; unplayable clips have too few answers.
    fmt::print("{} {:>6}  {}\n",
               outcome == Outcome::Unplayable ? "  unplayable      " : "    left out      ",
               grouped(clips), outcome_reason(outcome));
  }
  fmt::print("  begun            {:>6}\n", grouped(statistics.begun));
  fmt::print("  answers          {:>6}\n", grouped(statistics.answers));
  fmt::print("  labels per clip  {:>6}\n\n", number_or_dash(statistics.labels_per_clip, 2));
  const Agreement& agreement = statistics.agreement;
  fmt::print("Agreement (1: perfect, 0: chance)\n");
  fmt::print("  Fleiss' kappa per verb  {:>6}\n", number_or_dash(agreement.kappa_per_verb, 3));
  fmt::print("  Fleiss' kappa pooled    {:>6}\n", number_or_dash(agreement.kappa_pooled, 3));
  fmt::print("  Fleiss' kappa per clip  {:>6}\n", number_or_dash(agreement.kappa_per_clip, 3));
  fmt::print("  Krippendorff's alpha    {:>6}\n", number_or_dash(agreement.alpha, 3));
}

// "  ! too fast, same keys", or nothing.
std::string warning_words(const std::vector<std::string>& warnings) {
  static const std::map<std::string, std::string> words = {
      {"found", "misses originals"}, {"few_verbs", "few verbs"}, {"many_verbs", "many verbs"},
      {"fast", "too fast"},          {"same_keys", "same keys"}, {"agreement", "low agreement"},
      {"gold", "fails gold clips"}};
  std::string text;
  for (const std::string& warning : warnings) {
    text += (text.empty() ? "  ! " : ", ") + words.at(warning);
  }
  return text;
}

void print_people(const std::vector<Person>& people,
                  const std::vector<PersonStatistics>& statistics) {
  if (people.empty()) return;
  fmt::print("\n{}  state     answers   found  verbs  seconds   kappa  compared\n",
             left_aligned("Person", kPersonWidth));
  for (std::size_t i = 0; i < people.size(); ++i) {
    const PersonStatistics& each = statistics[i];
    fmt::print("{}  {:<8}{:>9}{:>8}{:>7}{:>9}{:>8}{:>10}{}\n",
               left_aligned(shortened(people[i].name, kPersonWidth), kPersonWidth),
               state_name(people[i].state), grouped(each.answers),
               std::isnan(each.found) ? "-" : percent(each.found),
               number_or_dash(each.verbs_per_clip, 2), number_or_dash(each.seconds_per_clip, 1),
               number_or_dash(each.agreement, 2), grouped(each.compared),
               warning_words(each.warnings));
  }
}

// How each person answered the gold clips.
void print_gold(const AnnotationProject& project, const std::vector<Person>& people,
                const std::vector<PersonStatistics>& statistics) {
  if (project.gold.empty() || people.empty()) return;
  fmt::print("\n{}, decisions on their verbs (F1 1: perfect, 0: no verb right)\n",
             counted(std::ssize(project.gold), "gold clip", "gold clips"));
  fmt::print("{}  answers    hits   wrong  missed     F1\n", left_aligned("Person", kPersonWidth));
  for (std::size_t i = 0; i < people.size(); ++i) {
    const GoldScore& gold = statistics[i].gold;
    fmt::print("{}  {:>7}{:>8}{:>8}{:>8}{:>7}\n",
               left_aligned(shortened(people[i].name, kPersonWidth), kPersonWidth),
               grouped(gold.answers), grouped(gold.hits), grouped(gold.wrong), grouped(gold.missed),
               number_or_dash(gold.f1(), 2));
  }
}

std::string rate_text(const EstimatedRate& rate) {
  return fmt::format("{} ({:.1f} to {:.1f})", percent(rate.value), 100 * rate.low, 100 * rate.high);
}

// The best first.
void print_qualities(const std::vector<Person>& people,
                     const std::vector<PersonStatistics>& statistics) {
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (statistics[i].quality) ranked.push_back(i);
  }
  if (ranked.empty()) return;
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    return statistics[a].rank < statistics[b].rank;
  });
  fmt::print("\nModel of annotators, with 95 % intervals (score 1: perfect, 0: chance)\n");
  fmt::print("{}  rank  score  {:<24}specificity\n", left_aligned("Person", kPersonWidth),
             "sensitivity");
  for (const std::size_t i : ranked) {
    const PersonQuality& quality = *statistics[i].quality;
    fmt::print("{}  {:>4}  {:>5.2f}  {:<24}{}\n",
               left_aligned(shortened(people[i].name, kPersonWidth), kPersonWidth),
               statistics[i].rank, quality.score(), rate_text(quality.sensitivity),
               rate_text(quality.specificity));
  }
}

void print_reports(const std::vector<AnsweredClip>& clips, int people) {
  if (clips.empty()) return;
  fmt::print("\nClips reported as not playing\n");
  for (const AnsweredClip& clip : clips) {
    fmt::print("  {}: {}{}\n", printable(clip.task->clip),
               counted(std::ssize(clip.reported_by), "report", "reports"),
               std::ssize(clip.reported_by) >= people ? ", no longer assigned" : "");
  }
}

void print_remarks(const AnnotationProject& project, const std::vector<OtherVerb>& verbs,
                   int remarks, int top) {
  if (remarks > 0) {
    fmt::print("\n{}: the leader's page and 'annotate export --format comments' list them\n",
               counted(remarks, "comment or flag", "comments or flags"));
  }
  if (verbs.empty() || top == 0) return;
  fmt::print("\nVerbs that people entered\n");
  for (std::size_t i = 0; i < verbs.size() && i < std::size_t(top); ++i) {
    std::vector<std::string> clips;
    for (const auto& [task, answers] : verbs[i].clips) {
      if (clips.size() == kClipsShown) break;
      clips.push_back(printable(project.find_shown(task)->clip));
    }
    const std::size_t more = verbs[i].clips.size() - clips.size();
    fmt::print("  {:>6}  {}: {}{}\n", grouped(verbs[i].answers), printable(verbs[i].verb),
               fmt::join(clips, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
}

void print_labels(const AnnotationProject& project, const ProjectStatistics& statistics, int top) {
  std::vector<std::pair<int, std::string>> labels;
  for (const auto& [id, count] : statistics.label_counts) {
    labels.emplace_back(count, printable(project.classes.name(id)));
  }
  std::vector<std::pair<int, std::string>> pairs;
  for (const auto& [ids, count] : statistics.label_pairs) {
    pairs.emplace_back(count, fmt::format("{} + {}", printable(project.classes.name(ids.first)),
                                          printable(project.classes.name(ids.second))));
  }
  const auto print = [&](const std::string& title, std::vector<std::pair<int, std::string>> rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (!rows.empty() && top > 0) fmt::print("\n{}\n", title);
    for (std::size_t i = 0; i < rows.size() && i < std::size_t(top); ++i) {
      fmt::print("  {:>6}  {}\n", grouped(rows[i].first), rows[i].second);
    }
  };
  print("Labels", labels);
  print("Together", pairs);
}

Json label_json(const AnnotationProject& project, const ProjectStatistics& statistics) {
  Json counts = Json::object();
  for (const auto& [id, count] : statistics.label_counts) counts[project.classes.name(id)] = count;
  Json pairs = Json::array();
  for (const auto& [ids, count] : statistics.label_pairs) {
    pairs.push_back(
        {{"labels", {project.classes.name(ids.first), project.classes.name(ids.second)}},
         {"clips", count}});
  }
  return {{"label_counts", counts}, {"co_occurrence", pairs}};
}

void annotate_status_command(const Arguments& arguments) {
  CommandLine line("annotate status",
                   "manyverbs annotate status project\n"
                   "manyverbs annotate status project --json");
  ProjectOptions options;
  int top = 10;
  bool as_json = false;
  add_project_options(line, &options);
  line.app.add_option("--top", top, "Number of labels, pairs of labels and entered verbs to show")
      ->check(from_up(0));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  line.counts_if({"--top"}, "with --json, which has all labels", [&] { return !as_json; });
  if (!line.parse(arguments)) return;

  const AnnotationProject project = read_project(options.folder);
  const std::unique_ptr<AnnotationStore> store = open_store(options, project);
  const AnnotationSettings settings = store->settings();
  const std::vector<StoredAnswer> answers = store->answers();
  const std::vector<Person> people = store->people();
  const std::vector<PlayReport> reports = store->reports();
  const std::vector<Decision> decisions = store->decisions();
  const ProjectStatistics statistics =
      project_statistics(project, answers, people, reports, settings, decisions);
  const std::vector<PersonStatistics> persons =
      person_statistics(project, answers, people, settings, decisions);
  if (as_json) {
    Json json = overview_json(project, settings, people, statistics, persons);
    json.update(label_json(project, statistics));
    json["reports"] = Json::array();
    for (const AnsweredClip& clip : reported_clips(project, answers, people, reports)) {
      json["reports"].push_back(report_json(clip, people, settings.people));
    }
    json["verbs"] = Json::array();
    for (const OtherVerb& verb : other_verbs(answers, people)) {
      json["verbs"].push_back(other_verb_json(project, verb));
    }
    print_json(json);
    return;
  }
  print_project(project, statistics, settings.people);
  print_people(people, persons);
  print_qualities(people, persons);
  print_gold(project, people, persons);
  print_reports(reported_clips(project, answers, people, reports), settings.people);
  print_remarks(project, other_verbs(answers, people), statistics.remarks, top);
  print_labels(project, statistics, top);
}

const Registration kAnnotateStatus("annotate status", annotate_status_command);

}  // namespace
}  // namespace manyverbs::cli
