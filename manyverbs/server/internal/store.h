// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
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
/// Throws HttpError (400) for an unknown name.
PersonState find_state(std::string_view name);

/// An annotator.
struct Person {
  int id = 0;
  std::string name;
  PersonState state = PersonState::Active;
  bool practised = false;
  std::optional<Time> last_seen;  ///< empty until the link is opened
};

/// Which clip a person gets next.
enum class ClipOrder {
  Complete,  ///< the one with the most answers and assignments, so that clips are completed early
  Informative,  ///< the one on whose labels another answer tells the most
};
/// "complete" or "informative".
std::string_view clip_order_name(ClipOrder order);
/// Throws HttpError (400) for an unknown name.
ClipOrder find_clip_order(std::string_view name);

/// What one more answer to a clip tells about its labels.
struct ClipValue {
  double information = 0;  ///< in bits, by the model of annotators
  int answers = 0;         ///< the number of answers that it was computed from

  /// The value for a person who asks now. `load` is the number of answers and assignments; each one
  /// since the computation makes another less useful: information / (1 + load - answers).
  double at(int load) const { return information / (1 + std::max(0, load - answers)); }
};
using ClipValues = std::map<int, ClipValue>;  ///< by task; without an entry, the value is 0

struct AnnotationSettings {
  int people = 3;                ///< answers by different people that a clip needs
  int hold_minutes = 15;         ///< of inactivity until assigned clips go to others
  double least_found = 0.5;      ///< warning below this share of original labels chosen
  double least_verbs = 1.5;      ///< warning below this mean number of verbs per clip
  double most_chosen = 0.6;      ///< warning above this mean share of candidates chosen
  double least_seconds = 2;      ///< warning below this median time per clip
  double most_same_keys = 0.7;   ///< warning above this share of answers with the same keys
  double least_agreement = 0.2;  ///< warning below this kappa with the others
  ClipOrder order = ClipOrder::Complete;

  bool operator==(const AnnotationSettings&) const = default;
};
/// As stored in the database and sent to pages.
Json settings_json(const AnnotationSettings& settings);
/// Parses settings_json(); the defaults for "".
AnnotationSettings settings_in(const std::string& text);

struct Answer {
  std::vector<ClassId> chosen;
  bool confident = true;
  bool nothing = false;  ///< "nothing happens here"
  std::int64_t milliseconds = 0;

  bool operator==(const Answer&) const = default;
};

/// An answer in the database. Corrected answers are kept with current = false.
struct StoredAnswer {
  int person = 0;
  int task = 0;
  Answer answer;
  Time time = 0;
  bool current = true;
};

/// A report that a clip does not play for a person.
struct PlayReport {
  int person = 0;
  int task = 0;
  Time time = 0;
};

/// Progress of a person.
struct AnnotatorProgress {
  int done = 0;   ///< clips answered
  int total = 0;  ///< clips answered, assigned, or still available
};

/// All stored data of an annotation project: people, sessions, assignments and answers. Several
/// servers may use one PostgreSQL database.
class AnnotationStore {
 public:
  /// Throws Error if the database contains answers to another task list.
  AnnotationStore(const std::string& database, const AnnotationProject& project);

  /// A random name of the project in this database, for cookies and unsent answers in browsers: two
  /// projects with the same clips are not the same.
  const std::string& project_id() const { return project_id_; }

  AnnotationSettings settings();
  void set_settings(const AnnotationSettings& settings);

  /// Adds a person with the hash of their personal link.
  Person add_person(const std::string& name, const std::string& link_hash, Time now);
  /// Replaces the link. The old link and its sessions become invalid.
  void set_link(int person, const std::string& link_hash);
  /// Unless the new state is active, clips assigned to the person go to others. Answers of excluded
  /// people do not count, and others are asked instead. If a person becomes active again, their
  /// answers count again.
  void set_state(int person, PersonState state);
  void set_practised(int person);
  void seen(int person, Time now);
  std::vector<Person> people();
  /// Throws HttpError (404) if the person does not exist.
  Person person(int id);
  std::optional<Person> person_of_link(const std::string& link_hash);

  /// Sessions, identified by the hash of their cookie; person 0 is a leader. Sessions opened before
  /// `since` are ignored; sessions older than 180 days are deleted.
  void open_session(const std::string& key, int person, Time now);
  std::optional<int> session_person(const std::string& key, Time since);
  void close_session(const std::string& key);

  /// The hash of the leader password, or "" if none is set.
  std::string password();
  /// Sets the password and ends all leader sessions. If a password is set and `replace` is false,
  /// does nothing and returns false.
  bool set_password(const std::string& hash, bool replace);

  /// The clips assigned to a person, at most two; new ones are assigned if needed. No person gets a
  /// clip twice, and no clip is answered by or assigned to more people than it needs. With
  /// ClipOrder::Complete, clips with the most answers and assignments come first; with
  /// ClipOrder::Informative, those with the highest value, see ClipValue::at(). A clip with as many
  /// play reports as it needs answers is not assigned.
  struct Assignment {
    std::vector<int> tasks;  ///< in the order in which to show them
    AnnotatorProgress progress;
    bool waiting = false;  ///< no clip now, but clips of others may become available
  };
  Assignment next_tasks(int person, Time now, const ClipValues& values = {});

  /// Saves an answer; it is on disk when this returns. Saving the same answer again has no effect;
  /// a different one replaces it. An answer to a clip that was reassigned in the meantime is saved
  /// too. Throws HttpError (403) for a clip that was never assigned to this person.
  AnnotatorProgress save(int person, int task, const Answer& answer, Time now);

  /// Saves a report that the clip does not play for this person. The clip is returned and not
  /// assigned to this person again. A later answer deletes the report; if there is an answer
  /// already, nothing is done. Throws HttpError (403) for a clip that was never assigned to this
  /// person.
  AnnotatorProgress report(int person, int task, Time now);
  /// Ordered by time.
  std::vector<PlayReport> reports();
  /// Deletes the reports about a clip, which can then be assigned again.
  void forget_reports(int task);

  /// The answer that a person gave before the one to task `before`; the last answer if `before` is
  /// 0 or not answered.
  std::optional<StoredAnswer> earlier(int person, int before);
  AnnotatorProgress progress(int person);
  /// Whether the clip was ever assigned to the person.
  bool was_given(int person, int task);

  /// All answers, ordered by time.
  std::vector<StoredAnswer> answers();

  /// For tests: `answered` and `load` of each task as stored, and as recomputed from leases and
  /// answers. They must always be equal.
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

  std::string project_id_;
  Database database_;
};

}  // namespace manyverbs
