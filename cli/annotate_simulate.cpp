// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/server/internal/answer_model.h"
#include "manyverbs/server/internal/simulated_round.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs::cli {
namespace {

using Truth = std::vector<std::vector<ClassId>>;

struct Simulation {
  AnnotationProject project;
  Truth truth;
  std::vector<SimulatedPerson> people;
  int answers = 3;  // per clip, for the table of people
  int rounds = 5;
  std::uint64_t seed = 1;
  double shared_mistakes = 0;

  // The seed of a round, and what people take for the truth in it.
  std::uint64_t seed_of(int round) const { return seed + round; }
  Truth seen(int round) const {
    return mistaken_truth(project, truth, shared_mistakes, seed_of(round));
  }
};

// Mean and standard deviation over rounds.
class Spread {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    count_ += 1;
  }
  double mean() const { return sum_ / count_; }
  double deviation() const {
    return count_ < 2 ? NAN : std::sqrt(std::max(0.0, (squares_ - sum_ * mean()) / (count_ - 1)));
  }
  std::string text() const {
    if (count_ < 2) return fmt::format("{:.1f}", 100 * mean());
    return fmt::format("{:.1f} ± {:.1f}", 100 * mean(), 100 * deviation());
  }
  Json json() const { return {{"mean", mean()}, {"deviation", number_or_null(deviation())}}; }

 private:
  double sum_ = 0;
  double squares_ = 0;
  double count_ = 0;
};

// F1 with the same number of answers for each clip, by both rules, and the same number on average
// in the informative order, by the model.
struct AnswersRow {
  int answers = 0;
  Spread half;
  Spread model;
  Spread informative;
};

// What the model says about a person, and what is true.
struct RateRow {
  Spread estimated;
  Spread actual;
  std::vector<EstimatedRate> estimates;  // one per round

  // The share of rounds whose interval contains the actual rate.
  double covered() const {
    const auto inside =
        std::count_if(estimates.begin(), estimates.end(), [&](const EstimatedRate& rate) {
          return rate.low <= actual.mean() && actual.mean() <= rate.high;
        });
    return static_cast<double>(inside) / static_cast<double>(estimates.size());
  }
  Json json() const {
    return {{"model", estimated.mean()}, {"true", actual.mean()}, {"in_interval", covered()}};
  }
};

struct PersonRow {
  Spread score;
  RateRow sensitivity;
  RateRow specificity;
};
using PersonRows = std::vector<PersonRow>;

LabelQuality quality_by(const AnnotationResult& round, LabelRule rule, const Truth& truth) {
  const std::vector<AnsweredClip> clips =
      answered_clips(*round.project, round.answers, round.people);
  return label_quality(rule == LabelRule::Half ? final_clips(clips, round.people_per_clip)
                                               : final_clips_by_model(clips, round.people_per_clip,
                                                                      model_answers(clips)),
                       truth);
}

std::vector<AnswersRow> compared_rules(const Simulation& given) {
  std::vector<AnswersRow> rows;
  std::vector<int> numbers = {1, 2, 3, 4, 5, 7};
  std::erase_if(numbers, [&](int answers) { return answers > std::ssize(given.people); });
  Progress progress("rounds", std::ssize(numbers) * given.rounds);
  for (const int answers : numbers) {
    AnswersRow row;
    row.answers = answers;
    for (int i = 0; i < given.rounds; ++i) {
      stop_if_interrupted();
      const Truth seen = given.seen(i);
      const AnnotationResult round =
          simulated_round(given.project, seen, given.people, answers, given.seed_of(i));
      row.half.add(quality_by(round, LabelRule::Half, given.truth).f1);
      row.model.add(quality_by(round, LabelRule::Model, given.truth).f1);
      const AnnotationResult ordered = simulated_round_in_order(
          given.project, seen, given.people, answers, ClipOrder::Informative, given.seed_of(i));
      row.informative.add(quality_by(ordered, LabelRule::Model, given.truth).f1);
      progress.advance();
    }
    rows.push_back(row);
  }
  return rows;
}

// How often a person chose the verbs that apply, and left the others.
std::pair<double, double> actual_rates(const AnnotationResult& round, int person,
                                       const Truth& truth) {
  std::map<int, std::size_t> place;
  for (std::size_t i = 0; i < round.project->tasks.size(); ++i) {
    place[round.project->tasks[i].number] = i;
  }
  double counts[2][2] = {};  // by: applies, right
  for (const StoredAnswer& stored : round.answers) {
    if (stored.person != person) continue;
    const std::size_t task = place.at(stored.task);
    for (const ClassId verb : round.project->tasks[task].candidates) {
      const auto has = [&](const std::vector<ClassId>& verbs) {
        return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
      };
      const bool applies = has(truth[task]);
      ++counts[applies ? 1 : 0][has(stored.answer.chosen) == applies ? 1 : 0];
    }
  }
  return {counts[1][1] / (counts[1][0] + counts[1][1]),
          counts[0][1] / (counts[0][0] + counts[0][1])};
}

void add_rate(const EstimatedRate& estimate, double actual, RateRow* row) {
  row->estimates.push_back(estimate);
  row->estimated.add(estimate.value);
  row->actual.add(actual);
}

PersonRows compared_people(const Simulation& given) {
  PersonRows rows(given.people.size());
  for (int i = 0; i < given.rounds; ++i) {
    const AnnotationResult round = simulated_round(given.project, given.seen(i), given.people,
                                                   given.answers, given.seed_of(i));
    const std::vector<AnsweredClip> clips =
        answered_clips(given.project, round.answers, round.people);
    for (const auto& [id, quality] : model_answers(clips).people) {
      PersonRow& row = rows[id - 1];
      const auto [sensitivity, specificity] = actual_rates(round, id, given.truth);
      row.score.add(quality.score());
      add_rate(quality.sensitivity, sensitivity, &row.sensitivity);
      add_rate(quality.specificity, specificity, &row.specificity);
    }
  }
  return rows;
}

void print_rules(const std::vector<AnswersRow>& rows) {
  fmt::print("F1 of the labels in percent, by rule\n");
  fmt::print("answers per clip  half          model         model, informative order\n");
  for (const AnswersRow& row : rows) {
    // fmt counts the columns of "±" correctly.
    fmt::print("{:<18}{:<14}{:<14}{}\n", row.answers, row.half.text(), row.model.text(),
               row.informative.text());
  }
}

void print_people(SimulatedPeople people, const PersonRows& rows, int answers) {
  fmt::print("\nWhat the model says with {} per clip, in percent\n",
             counted(answers, "answer", "answers"));
  fmt::print("            score  sensitivity: true, in interval  specificity: true, in interval\n");
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const PersonRow& row = rows[j];
    const auto rate = [](const RateRow& each) {
      return fmt::format("{:>11.1f}  {:>5.1f}  {:>11.0f}", 100 * each.estimated.mean(),
                         100 * each.actual.mean(), 100 * each.covered());
    };
    fmt::print("{:<11} {:>6.2f}  {} {}\n", people[j].name, row.score.mean(), rate(row.sensitivity),
               rate(row.specificity));
  }
}

Json simulation_json(const Simulation& given, const std::vector<AnswersRow>& rules,
                     const PersonRows& rates) {
  Json json = {{"project", given.project.folder.string()},
               {"clips", given.project.tasks.size()},
               {"rounds", given.rounds},
               {"f1", Json::array()},
               {"people", Json::array()}};
  for (const AnswersRow& row : rules) {
    json["f1"].push_back({{"answers", row.answers},
                          {"half", row.half.json()},
                          {"model", row.model.json()},
                          {"model_informative", row.informative.json()}});
  }
  for (std::size_t j = 0; j < rates.size(); ++j) {
    json["people"].push_back({{"name", given.people[j].name},
                              {"behaviour", given.people[j].behaviour},
                              {"score", rates[j].score.mean()},
                              {"sensitivity", rates[j].sensitivity.json()},
                              {"specificity", rates[j].specificity.json()}});
  }
  return json;
}

std::vector<SimulatedPerson> people_of(const std::vector<std::string>& kinds) {
  std::vector<SimulatedPerson> people;
  for (const std::string& kind : kinds) {
    people.push_back(*std::find_if(kSimulatedPeople.begin(), kSimulatedPeople.end(),
                                   [&](const SimulatedPerson& each) { return each.name == kind; }));
  }
  return people;
}

void annotate_simulate_command(const Arguments& arguments) {
  CommandLine line("annotate simulate",
                   "manyverbs annotate simulate project --rounds 20\n"
                   "manyverbs annotate simulate project --kinds careful,careful,hasty,hasty,lazy");
  std::string folder;
  Simulation given;
  std::vector<std::string> kinds;
  for (const SimulatedPerson& person : kSimulatedPeople) kinds.emplace_back(person.name);
  bool as_json = false;
  line.app.add_option("PROJECT", folder, "The project folder, created by 'annotate prepare'")
      ->required();
  line.app.add_option("--kinds", kinds, "Who takes part; a kind may occur several times")
      ->delimiter(',')
      ->check(one_of(kinds));
  line.app
      .add_option("--shared-mistakes", given.shared_mistakes,
                  "Share of the verbs that everybody sees the wrong way; the original is never one")
      ->check(from_to(0.0, 1.0));
  line.app.add_option("--people", given.answers, "Answers per clip for the table of people")
      ->check(from_up(1));
  line.app.add_option("--rounds", given.rounds, "Number of rounds, each with other answers")
      ->check(from_up(1));
  line.app.add_option("--seed", given.seed, "Seed of the first round")->check(from_up(0));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  if (given.answers > std::ssize(kinds)) {
    throw UsageError(
        fmt::format("manyverbs annotate simulate: --people: expected at most {}, the number of "
                    "people, found {}",
                    kinds.size(), given.answers));
  }
  given.people = people_of(kinds);
  given.project = read_project(folder);
  given.truth = true_candidates(given.project, read_dataset(given.project.dataset));
  const std::vector<AnswersRow> rules = compared_rules(given);
  const PersonRows rates = compared_people(given);
  if (as_json) {
    print_json(simulation_json(given, rules, rates));
    return;
  }
  fmt::print("{}: {}, {} simulated people, {}\n\n", folder,
             counted(std::ssize(given.project.tasks), "clip", "clips"), given.people.size(),
             counted(given.rounds, "round", "rounds"));
  for (const SimulatedPerson& person : given.people) {
    fmt::print("{:<11} {}\n", person.name, person.behaviour);
  }
  fmt::print("\n");
  print_rules(rules);
  print_people(given.people, rates, given.answers);
}

const Registration kAnnotateSimulate("annotate simulate", annotate_simulate_command);

}  // namespace
}  // namespace manyverbs::cli
