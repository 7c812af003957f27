// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/server/internal/database.h"
#include "manyverbs/server/internal/gold_assignment.h"
#include "manyverbs/server/internal/leader_log.h"
#include "manyverbs/server/internal/people.h"
#include "manyverbs/server/internal/settings.h"
#include "manyverbs/server/project.h"

namespace manyverbs {

/// What one more answer to a clip tells about its labels.
struct ClipValue {
  double information = 0;  ///< in bits, by the model of annotators
  int answers = 0;         ///< the number of answers that it was computed from

  /// The value for a person who asks now. `load` is the number of answers and assignments; each one
  /// since the computation makes another less useful: information / (1 + load - answers).
  double at(int load) const { return information / (1 + std::max(0, load - answers)); }
};
using ClipValues = std::map<int, ClipValue>;  ///< by task; without an entry, the value is 0

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

/// An answer in the database. Corrected answers are kept.
struct StoredAnswer {
  int person = 0;
  int task = 0;
  Answer answer;
  Time time = 0;        ///< when it was given
  bool current = true;  ///< false if another one was given later
  int id = 0;           ///< in the order of saving
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

/// All stored data of an annotation project but the accounts of leaders: people, sessions,
/// assignments and answers. Several servers may use one PostgreSQL database. Functions with an
/// Author add an entry to the log, unless there is nothing to change.
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

  /// A name, and the hash of a personal link in case that the person is new.
  struct Invitation {
    std::string name;
    std::string link_hash;
  };
  struct Invited {
    Person person;
    bool existed = false;  ///< the person keeps their link
  };
  /// Adds the people whose names are new, all or none of them. Names are those of one person if
  /// they are equal after folded_name(). `before_saving` is called in the transaction; if it
  /// throws, nobody is added. Throws HttpError (400) for an invalid name.
  std::vector<Invited> invite(
      const std::vector<Invitation>& invitations, const Author& by,
      const std::function<void(const std::vector<Invited>&)>& before_saving = {});
  /// Adds one person. Throws HttpError (409) if the name exists.
  Person add_person(const std::string& name, const std::string& link_hash, const Author& by);
  /// Replaces the link, which expires as the settings say. With SignOut, all sessions of the person
  /// end.
  enum class Devices { Stay, SignOut };
  void set_link(int person, const std::string& link_hash, Devices devices, const Author& by);
  /// Throws HttpError: 400 for an invalid name, 409 if another person has it.
  void rename(int person, const std::string& name, const Author& by);
  /// Ends the link and the sessions of a person, and returns their clips. Keep: the answers count,
  /// and the person becomes "former annotator 7"; throws HttpError (409) for an excluded person,
  /// whose answers do not count. Delete: nothing remains but the log.
  enum class Answers { Keep, Delete };
  void remove_person(int person, Answers answers, const Author& by);
  /// Unless the new state is active, clips assigned to the person go to others. Answers of excluded
  /// people do not count, and others are asked instead. If a person becomes active again, their
  /// answers count again. Throws HttpError (400) for PersonState::Removed.
  void set_state(int person, PersonState state, const Author& by);
  /// The practice clips that a person has answered.
  void add_practised_clip(int person, int task);
  std::set<int> practised_clips(int person);
  /// A leader ends the practice of a person.
  void end_practice(int person, const Author& by);
  /// The person has finished the practice.
  void set_practised(int person);
  void seen(int person, Time now);
  /// Ordered by number, removed people last. Link and devices are those at this time.
  std::vector<Person> people(Time now = time_now());
  /// Throws HttpError (404) if the person does not exist.
  Person person(int id, Time now = time_now());

  /// Opens a session, identified by the hash of its cookie, of the person with this link, and uses
  /// up the link: of several calls with one link, one opens a session. Ends the session `before` of
  /// the same browser. Nothing if the link is unknown, used or expired; an excluded person without
  /// opening a session.
  std::optional<Person> join(const std::string& link_hash, const std::string& key,
                             const std::string& before, Time now);
  std::optional<int> session_person(const std::string& key, Time now);
  void close_session(const std::string& key);

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

  /// Saves an answer that was given `age` milliseconds before; it is on disk when this returns.
  /// Saving the same answer again has no effect. Of different ones, the one that was given last
  /// counts, whichever arrives last; answers given within 10 seconds count in the order of arrival.
  /// An answer to a clip that was reassigned in the meantime is saved too. Pauses a person who
  /// fails on gold clips, if the settings say so. Throws HttpError (403) for a clip that was never
  /// assigned to this person.
  AnnotatorProgress save(int person, int task, const Answer& answer, Time now, Time age = 0);

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
  /// Names in the log that nobody has any more: of people who were renamed or removed.
  std::vector<std::string> former_names();

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

  // Notes that the person is active; returns the time on the lease clock.
  Time note_seen(soci::session& sql, int person, Time now) const;

  std::string project_id_;
  std::string server_;  // a random name, for the lease clock
  Database database_;
  GoldAssignment gold_;
};

}  // namespace manyverbs
