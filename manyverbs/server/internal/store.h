// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/server/internal/database.h"
#include "manyverbs/server/internal/gold_assignment.h"
#include "manyverbs/server/internal/leader_log.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

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
  /// "gold" if the person is paused because of their answers to gold clips; otherwise ""
  std::string paused_for = {};
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
  int gold_at_start = 3;     ///< gold clips among the first clips of a person, twice as many
  int gold_every = 15;       ///< after that, a gold clip among so many clips; 0: none
  int gold_answers = 5;      ///< to gold clips, before a person is judged by them
  double least_gold = 0.5;   ///< warning below this F1 on gold clips, the pass mark
  bool gold_pauses = false;  ///< people below the pass mark are paused
  bool closed = false;       ///< no clip is assigned any more
  std::optional<Time> deadline = {};  ///< the round is closed from then on
  int quota = 0;                      ///< most clips that one person answers; 0: no limit

  bool is_over(Time now) const { return closed || (deadline && now >= *deadline); }
  bool operator==(const AnnotationSettings&) const = default;
};
/// As stored in the database and sent to pages.
Json settings_json(const AnnotationSettings& settings);
/// Parses settings_json(); the defaults for "".
AnnotationSettings settings_in(const std::string& text);

/// Either verbs are chosen, or `nothing` or `other` is true.
struct Answer {
  std::vector<ClassId> chosen;
  bool confident = true;
  bool nothing = false;  ///< "nothing happens here"
  std::int64_t milliseconds = 0;
  bool other = false;           ///< "something happens, but none of these verbs"
  std::string other_verb = {};  ///< with `other`, a verb that the person entered; may be empty
  bool flagged = false;         ///< marked for the leader
  std::string comment = {};     ///< for the leader; may be empty

  bool operator==(const Answer&) const = default;
};

/// An answer in the database. Corrected answers are kept with current = false.
struct StoredAnswer {
  int person = 0;
  int task = 0;
  Answer answer;
  Time time = 0;
  bool current = true;
  int id = 0;  ///< in the order of saving
};

/// A report that a clip does not play for a person.
struct PlayReport {
  int person = 0;
  int task = 0;
  Time time = 0;

  bool operator==(const PlayReport&) const = default;
};

/// What the leader decided about a clip. It wins over the answers and all rules.
struct Decision {
  int task = 0;
  std::vector<ClassId> labels;  ///< sorted; empty: the clip is left out of the result
  std::string reason;
  Time time = 0;
  bool current = true;  ///< false if it was undone or replaced

  bool leaves_out() const { return labels.empty(); }
  bool operator==(const Decision&) const = default;
};

/// Progress of a person.
struct AnnotatorProgress {
  int done = 0;   ///< clips answered
  int total = 0;  ///< clips answered, assigned, or still available
};

/// All stored data of an annotation project: people, sessions, assignments and answers. Several
/// servers may use one PostgreSQL database. Functions with an Author add an entry to the log,
/// unless there is nothing to change.
class AnnotationStore {
 public:
  /// Throws Error if the database contains answers to another task list.
  AnnotationStore(const std::string& database, const AnnotationProject& project);

  /// A random name of the project in this database, for cookies and unsent answers in browsers: two
  /// projects with the same clips are not the same.
  const std::string& project_id() const { return project_id_; }

  /// A random text that nobody else knows, for pseudonyms.
  std::string pseudonym_secret();

  AnnotationSettings settings();
  void set_settings(const AnnotationSettings& settings, const Author& by);

  /// Adds a person with the hash of their personal link.
  Person add_person(const std::string& name, const std::string& link_hash, const Author& by);
  /// Replaces the link. The old link and its sessions become invalid.
  void set_link(int person, const std::string& link_hash, const Author& by);
  /// Unless the new state is active, clips assigned to the person go to others. Answers of excluded
  /// people do not count, and others are asked instead. If a person becomes active again, their
  /// answers count again.
  void set_state(int person, PersonState state, const Author& by);
  /// The practice clips that a person has answered.
  void add_practised_clip(int person, int task);
  std::set<int> practised_clips(int person);
  /// A leader ends the practice of a person.
  void end_practice(int person, const Author& by);
  /// The person has finished the practice.
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
  /// play reports as it needs answers is not assigned, and neither is one that the leader has
  /// decided. After the round is closed, or after the quota of the person, nothing is assigned. In
  /// a project with gold clips, each person gets clips that are equal in this order in a random
  /// order of their own, so that the number of a gold clip does not stand out.
  enum class Over { No, Closed, Quota };
  struct Assignment {
    std::vector<int> tasks;  ///< in the order in which to show them
    AnnotatorProgress progress;
    bool waiting = false;  ///< no clip now, but clips of others may become available
    Over over = Over::No;  ///< why there will be no more clips for this person
  };
  Assignment next_tasks(int person, Time now, const ClipValues& values = {});

  /// Saves an answer; it is on disk when this returns. Saving the same answer again has no effect;
  /// a different one replaces it. An answer to a clip that was reassigned in the meantime is saved
  /// too. Pauses a person who fails on gold clips, if the settings say so. Throws HttpError (403)
  /// for a clip that was never assigned to this person.
  AnnotatorProgress save(int person, int task, const Answer& answer, Time now);

  /// Saves a report that the clip does not play for this person. The clip is returned and not
  /// assigned to this person again. A later answer deletes the report; if there is an answer
  /// already, nothing is done. Throws HttpError (403) for a clip that was never assigned to this
  /// person.
  AnnotatorProgress report(int person, int task, Time now);
  /// Ordered by time.
  std::vector<PlayReport> reports();
  /// Deletes the reports about a clip, which can then be assigned again.
  void forget_reports(int task, const Author& by);

  /// Saves a decision; it is on disk when this returns. It replaces an earlier one, which is kept
  /// with current = false. The clip is no longer assigned, but an answer that somebody is about to
  /// send is still saved. Its time is that of the author.
  void decide(Decision decision, const Author& by);
  /// Makes the answers count again. Does nothing without a decision.
  void undo_decision(int task, const Author& by);
  /// All decisions, including undone and replaced ones, in the order of saving.
  std::vector<Decision> decisions();

  /// The answer that a person gave before the one to task `before`; the last answer if `before` is
  /// 0 or not answered.
  std::optional<StoredAnswer> earlier(int person, int before);
  AnnotatorProgress progress(int person, Time now);
  /// Whether the clip was ever assigned to the person.
  bool was_given(int person, int task);

  /// The answers with a higher id than `after`, in the order of saving. Whoever has seen an answer
  /// has also been able to see all those with lower ids, whichever servers saved them.
  std::vector<StoredAnswer> answers(int after = 0);

  /// Adds an entry to the log about something that is not in the database.
  void note(const Author& by, const std::string& action, const std::string& subject,
            const std::string& details = "");
  /// See leader_log.h.
  std::vector<LogEntry> log(int from, int most);
  int log_size();

  /// For backups.
  Database& database() { return database_; }

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

  AnnotatorProgress progress_in(soci::session& sql, int person, const AnnotationSettings& settings,
                                Time now) const;

  std::string project_id_;
  Database database_;
  GoldAssignment gold_;
};

}  // namespace manyverbs
