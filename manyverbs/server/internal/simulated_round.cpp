// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/simulated_round.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "manyverbs/server/internal/clip_values.h"

namespace manyverbs {
namespace {

bool contains(const std::vector<ClassId>& verbs, ClassId verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

// Each verb on its own, with this probability if it applies and if it does not.
template <int kIfTrue, int kIfFalse>  // in percent
std::vector<ClassId> each_verb(const SimulatedClip& clip, Random* random) {
  std::vector<ClassId> chosen;
  for (const ClassId verb : clip.shown) {
    const int chance = contains(clip.truth, verb) ? kIfTrue : kIfFalse;
    if (random->uniform() * 100 < chance) chosen.push_back(verb);
  }
  return chosen;
}

std::vector<ClassId> one_true_verb(const SimulatedClip& clip, Random* random) {
  const std::vector<ClassId>& from = clip.truth.empty() ? clip.shown : clip.truth;
  return {from[random->below(from.size())]};
}

std::vector<ClassId> first_verb(const SimulatedClip& clip, Random* /*random*/) {
  return {clip.shown.front()};
}

// The answers of one round, one clip after the other.
class Answering {
 public:
  Answering(const AnnotationProject& project, const std::vector<std::vector<ClassId>>& truth,
            SimulatedPeople people, std::uint64_t seed)
      : project_(project), truth_(truth), people_(people), random_(seed) {
    result_.project = &project;
    for (std::size_t i = 0; i < people.size(); ++i) {
      result_.people.push_back({static_cast<int>(i) + 1, std::string(people[i].name),
                                PersonState::Active, true, std::nullopt});
    }
  }

  void answer(std::size_t task, std::size_t person) {
    const int id = result_.people[person].id;
    const SimulatedClip clip{candidates_for(project_, project_.tasks[task], id), truth_[task]};
    Answer answer;
    answer.chosen = people_[person].chosen(clip, &random_);
    std::sort(answer.chosen.begin(), answer.chosen.end());
    answer.nothing = answer.chosen.empty();
    result_.answers.push_back({id, project_.tasks[task].number, answer, 0, true});
  }

  Random& random() { return random_; }
  AnnotationResult& result() { return result_; }

 private:
  const AnnotationProject& project_;
  const std::vector<std::vector<ClassId>>& truth_;
  SimulatedPeople people_;
  Random random_;
  AnnotationResult result_;
};

// The people who can still answer a clip, and what another answer is worth.
struct OpenClips {
  std::vector<std::vector<bool>> answered;  // by clip and person
  std::vector<int> load;

  OpenClips(std::size_t clips, std::size_t people)
      : answered(clips, std::vector<bool>(people)), load(clips) {}

  // The clip with the highest value that the person has not answered; none: the number of clips.
  template <typename Value>
  std::size_t best(std::size_t person, int most, const Value& value) const {
    std::size_t best = load.size();
    double highest = -1;
    for (std::size_t i = 0; i < load.size(); ++i) {
      if (answered[i][person] || load[i] >= most) continue;
      const double here = value(i);
      if (here <= highest) continue;
      highest = here;
      best = i;
    }
    return best;
  }
};

}  // namespace

const std::array<SimulatedPerson, 7> kSimulatedPeople = {{
    {"careful", "finds 93 % of the verbs, 2 % of the others are wrong", each_verb<93, 2>},
    {"hasty", "finds 70 % of the verbs, 10 % of the others are wrong", each_verb<70, 10>},
    {"lazy", "chooses one verb that applies, never a second", one_true_verb},
    {"first", "always chooses the first verb on the page", first_verb},
    {"random", "chooses each verb with probability 30 %", each_verb<30, 30>},
    {"all", "always chooses all verbs", each_verb<100, 100>},
    {"contrarian", "chooses 90 % of the wrong verbs and 10 % of the others", each_verb<10, 90>},
}};

std::vector<std::vector<ClassId>> true_candidates(const AnnotationProject& project,
                                                  const Dataset& dataset) {
  std::map<std::string, const Clip*> clips;
  for (const Clip& clip : dataset.clips) clips[clip.name] = &clip;
  std::vector<std::vector<ClassId>> truth;
  bool several = false;
  for (const AnnotationTask& task : project.tasks) {
    const auto clip = clips.find(task.clip);
    if (clip == clips.end()) {
      throw Error("{}: has no clip '{}', which is a task of {}", dataset.folder.string(), task.clip,
                  project.folder.string());
    }
    const std::vector<ClassId>& labels =
        clip->second->truth.empty() ? clip->second->labels : clip->second->truth;
    several = several || labels.size() > 1;
    truth.emplace_back();
    for (const ClassId verb : task.candidates) {
      if (contains(labels, verb)) truth.back().push_back(verb);
    }
  }
  if (!several) {
    throw Error("{}: the clips of {} have one label each; a simulation needs all their labels",
                dataset.folder.string(), project.folder.string());
  }
  return truth;
}

std::vector<std::vector<ClassId>> mistaken_truth(const AnnotationProject& project,
                                                 const std::vector<std::vector<ClassId>>& truth,
                                                 double share, std::uint64_t seed) {
  Random random(seed, 1);  // independent of the answers
  std::vector<std::vector<ClassId>> seen(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (const ClassId verb : project.tasks[i].candidates) {
      const bool wrong = verb != project.tasks[i].original && random.uniform() < share;
      if (contains(truth[i], verb) != wrong) seen[i].push_back(verb);
    }
  }
  return seen;
}

AnnotationResult simulated_round(const AnnotationProject& project,
                                 const std::vector<std::vector<ClassId>>& truth,
                                 SimulatedPeople people, int answers, std::uint64_t seed) {
  Answering round(project, truth, people, seed);
  std::vector<std::size_t> order(people.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t task = 0; task < project.tasks.size(); ++task) {
    round.random().shuffle(std::span(order));
    for (int k = 0; k < answers; ++k) round.answer(task, order[k]);
  }
  round.result().people_per_clip = answers;
  return round.result();
}

AnnotationResult simulated_round_in_order(const AnnotationProject& project,
                                          const std::vector<std::vector<ClassId>>& truth,
                                          SimulatedPeople people, double answers, ClipOrder order,
                                          std::uint64_t seed) {
  Answering round(project, truth, people, seed);
  const std::size_t clips = project.tasks.size();
  OpenClips open(clips, people.size());
  const bool informative = order == ClipOrder::Informative;
  const int most =
      informative ? static_cast<int>(people.size()) : static_cast<int>(std::ceil(answers));
  const auto wanted = static_cast<std::size_t>(std::llround(answers * static_cast<double>(clips)));
  const std::size_t interval = std::max<std::size_t>(1, clips / 10);
  ClipValues values;
  while (round.result().answers.size() < wanted) {
    const AnnotationResult& so_far = round.result();
    if (informative && so_far.answers.size() % interval == 0) {
      values = clip_values(answered_clips(project, so_far.answers, so_far.people));
    }
    const std::size_t person = round.random().below(people.size());
    const std::size_t task = open.best(person, most, [&](std::size_t i) -> double {
      return informative ? values.at(project.tasks[i].number).at(open.load[i]) : open.load[i];
    });
    if (task == clips) continue;  // this person has answered all they can
    round.answer(task, person);
    open.answered[task][person] = true;
    ++open.load[task];
  }
  round.result().people_per_clip = 1;
  return round.result();
}

LabelQuality label_quality(std::span<const FinalClip> clips,
                           const std::vector<std::vector<ClassId>>& truth) {
  double found = 0;
  double predicted = 0;
  double present = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    std::vector<ClassId> labels = clips[i].result.labels;
    if (labels.empty() && clips[i].task->original) labels = {*clips[i].task->original};
    predicted += static_cast<double>(labels.size());
    present += static_cast<double>(truth[i].size());
    found += static_cast<double>(std::count_if(
        labels.begin(), labels.end(), [&](ClassId verb) { return contains(truth[i], verb); }));
  }
  return {found / predicted, found / present, 2 * found / (predicted + present)};
}

}  // namespace manyverbs
