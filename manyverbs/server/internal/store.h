// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/server/internal/database.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Milliseconds since 1970.
using Time = std::int64_t;
Time time_now();
/// "2026-01-31T14:03:21Z"
std::string time_text(Time time);

enum class PersonState { Active, Paused, Excluded };
std::string_view state_name(PersonState state);
/// Throws Refusal (400) when the name is none.
PersonState find_state(std::string_view name);

/// Somebody who annotates.
struct Person {
  int id = 0;
  std::string name;
  PersonState state = PersonState::Active;
  bool practised = false;
  std::optional<Time> last_seen;  ///< none until the link was opened
};

struct AnnotationSettings {
  int people = 3;                ///< different people that a clip needs
  int hold_minutes = 15;         ///< without a word from a person until clips held go to others
  double least_found = 0.5;      ///< a warning below this share of original labels found
  double least_verbs = 1.5;      ///< a warning below so many verbs per clip on average
  double most_chosen = 0.6;      ///< a warning above this share of the verbs offered
  double least_seconds = 2;      ///< a warning when half of the answers took less
  double most_same_keys = 0.7;   ///< a warning when more answers press the same keys
  double least_agreement = 0.2;  ///< a warning below this kappa with the others

  bool operator==(const AnnotationSettings&) const = default;
};
/// As the database keeps them and pages see them.
Json settings_json(const AnnotationSettings& settings);
/// The defaults for "".
AnnotationSettings settings_in(const std::string& text);

struct Answer {
  std::vector<ClassId> chosen;
  bool confident = true;
  bool nothing = false;  ///< nothing happens in the clip
  std::int64_t milliseconds = 0;

  bool operator==(const Answer&) const = default;
};

/// An answer as it is kept; mended ones stay, not current.
struct StoredAnswer {
  int person = 0;
  int task = 0;
  Answer answer;
  Time time = 0;
  bool current = true;
};

/// Somebody could not play a clip.
struct PlayReport {
  int person = 0;
  int task = 0;
  Time time = 0;
};

/// How far a person is.
struct AnnotatorProgress {
  int done = 0;   ///< clips answered
  int total = 0;  ///< answered, held, or could still be given
};

/// Everything that is kept of an annotation project: people and their sessions, who works on what,
/// and every answer. Several servers may use one PostgreSQL database.
class AnnotationStore {
 public:
  /// Throws Error when the database holds answers to another list of tasks.
  AnnotationStore(const std::string& database, const AnnotationProject& project);

  AnnotationSettings settings();
  void set_settings(const AnnotationSettings& settings);

  /// Adds a person whose personal link has this hash.
  Person add_person(const std::string& name, const std::string& link_hash, Time now);
  /// Another link; the old one and the sessions that it opened end.
  void set_link(int person, const std::string& link_hash);
  /// Clips held go to others unless the person is active. Answers of excluded people do not count,
  /// and others are asked instead; answers of people taken back count again.
  void set_state(int person, PersonState state);
  void set_practised(int person);
  void seen(int person, Time now);
  std::vector<Person> people();
  /// Throws Refusal (404) when there is none.
  Person person(int id);
  std::optional<Person> person_of_link(const std::string& link_hash);

  /// Sessions by the hash of their cookie; person 0 is a leader. `since` leaves out older ones;
  /// those of more than 180 days are forgotten.
  void open_session(const std::string& key, int person, Time now);
  std::optional<int> session_person(const std::string& key, Time since);
  void close_session(const std::string& key);

  /// Of the leaders: a hash, or "" while none is set.
  std::string password();
  /// Sets it and ends the leaders' sessions. False, and nothing is done, when one is set already
  /// and `replace` is not.
  bool set_password(const std::string& hash, bool replace);

  /// The clips that a person holds, two at most, given now where need be: nobody gets a clip twice,
  /// and no clip is answered or held by more people than it needs. Clips begun come first. A clip
  /// that as many people reported as it needs is given to nobody.
  struct Held {
    std::vector<int> tasks;  ///< the one to show first
    AnnotatorProgress progress;
    bool waiting = false;  ///< nothing now, but others hold clips that may come back
  };
  Held next_tasks(int person, Time now);

  /// Keeps an answer: it is on disk when this returns. The same again changes nothing; another one
  /// replaces it. An answer to a clip that went to somebody else meanwhile is kept too. Throws
  /// Refusal (403) for a clip that was never given to this person.
  AnnotatorProgress save(int person, int task, const Answer& answer, Time now);

  /// Keeps that the clip does not play for this person, who gives it back and does not get it
  /// again. It is no answer; an answer to the same clip takes it back. Nothing is done where there
  /// is an answer already. Throws Refusal (403) for a clip that was never given to this person.
  AnnotatorProgress report(int person, int task, Time now);
  /// In the order in which they came.
  std::vector<PlayReport> reports();
  /// Forgets the reports about a clip, which is then given out again.
  void forget_reports(int task);

  /// What a person answered before that task, or last of all when the task is 0 or not answered.
  std::optional<StoredAnswer> earlier(int person, int before);
  AnnotatorProgress progress(int person);
  /// Whether the clip was given to the person.
  bool was_given(int person, int task);

  /// Every answer in the order in which they came.
  std::vector<StoredAnswer> answers();

  /// For tests: answered and load of each task as they are kept, and as leases and answers have
  /// it. Both are equal whatever happened.
  struct Count {
    int task = 0;
    int answered = 0;
    int load = 0;
    bool operator==(const Count&) const = default;
  };
  std::vector<Count> kept_counts();
  std::vector<Count> true_counts();

 private:
  void add_tasks(const AnnotationProject& project);
  std::vector<Count> counts(const std::string& query);

  Database database_;
};

}  // namespace manyverbs
