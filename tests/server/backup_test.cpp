// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/backup.h"

#include <atomic>
#include <thread>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

namespace fs = std::filesystem;
constexpr Time kNow = 1'770'000'000'042;  // 2026-02-02T02:40:00.042Z

fs::path made(const fs::path& folder) {
  fs::create_directories(folder);
  return folder;
}

// Restores and runs on each pair of databases.
struct Databases {
  std::string from;
  std::string to;
};

class Backups : public testing::TestWithParam<Databases> {
 protected:
  std::string database(const std::string& kind, const std::string& name) {
    return kind == "sqlite" ? (scratch_ / name).string() : PostgresServer::shared().new_database();
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(made(scratch_ / "project"), 5);
  ServeSettings settings_{.database = database(GetParam().from, "from.sqlite"),
                          .password = kPassword};
  fs::path backup_ = scratch_ / "backup";
};

// The answers as text, to compare.
std::vector<std::string> answers_of(AnnotationStore& store) {
  std::vector<std::string> answers;
  for (const StoredAnswer& each : store.answers()) {
    answers.push_back(fmt::format("{} {} {} {} {}", each.person, each.task,
                                  fmt::join(each.answer.chosen, ","), each.time, each.current));
  }
  return answers;
}

TEST_P(Backups, ARoundContinuesElsewhereWithAllAnswersSessionsAndLinks) {
  std::string cookies;
  std::string leader_cookies;
  std::string unused_link;
  std::vector<std::string> expected;
  {
    RunningServer server(project_, settings_);
    Visitor leader(server.port());
    leader.sign_in();
    const std::string link = leader.invite("Anna; \"Bo\" 'ü");
    unused_link = leader.invite("Chidi");
    Visitor anna(server.port());
    anna.join(link);
    for (const int task : {1, 2}) {
      anna.post_json("/api/annotator/next", Json::object());
      anna.post_json("/api/annotator/answers", sent_answer(task, {0, 1}));
    }
    anna.post_json("/api/annotator/answers", sent_answer(1, {0}));  // a correction
    AnnotationStore store(settings_.database, project_);
    back_up(project_, store.database(), backup_, kNow);
    expected = answers_of(store);
    EXPECT_EQ(expected.size(), 3u);
    anna.post_json("/api/annotator/next", Json::object());
    anna.post_json("/api/annotator/answers", sent_answer(3, {2}));  // after the backup
    cookies = anna.cookies();
    leader_cookies = leader.cookies();
  }
  fs::remove_all(project_.folder);

  const std::string moved = database(GetParam().to, "to.sqlite");
  restore(backup_, newest_snapshot(backup_), scratch_ / "restored", moved);
  const AnnotationProject restored = read_project(scratch_ / "restored");
  EXPECT_EQ(restored.tasks, project_.tasks);
  EXPECT_EQ(restored.practice, project_.practice);
  EXPECT_FALSE(fs::exists(restored.folder / "answers.sqlite"));
  AnnotationStore store(moved, restored);
  EXPECT_EQ(answers_of(store), expected);
  EXPECT_EQ(store.kept_counts(), store.true_counts());

  RunningServer server(restored, {.database = moved});
  Visitor anna(server.port());
  anna.set_cookies(cookies);
  const Json next = anna.post_json("/api/annotator/next", Json::object());
  EXPECT_EQ(next["tasks"][0]["task"], 3);
  EXPECT_EQ(anna.get(next["tasks"][0]["video"].get<std::string>()).body, "0123456789");
  anna.post_json("/api/annotator/answers", sent_answer(3, {2}));
  Visitor chidi(server.port());
  chidi.join(unused_link);
  EXPECT_EQ(chidi.get_json("/api/annotator")["name"], "Chidi");
  Visitor leader(server.port());
  leader.set_cookies(leader_cookies);
  EXPECT_EQ(leader.get_json("/api/leader")["state"], "signed_in");
  Visitor later(server.port());
  EXPECT_EQ(later.sign_in().status, 200);
  EXPECT_EQ(answers_of(store).size(), 4u);
}

TEST_P(Backups, AnotherBackupKeepsTheEarlierSnapshotAndCopiesWhatChanged) {
  AnnotationStore store(settings_.database, project_);
  const BackupReport first = back_up(project_, store.database(), backup_, kNow);
  EXPECT_EQ(first.snapshot.filename(), "2026-02-02T02-40-00.042Z.sqlite");
  // 5 clips, a practice clip, project.json, tasks.csv and practice.csv
  EXPECT_EQ(first.files, 9);
  EXPECT_EQ(first.copied, 9);
  store.add_person("Anna", "link", {"Lea", kNow});
  write_file(project_.folder / "instructions.md", "Look closely.");
  write_file(project_.folder / "clips" / "2.mp4", "a better video");
  const BackupReport second = back_up(project_, store.database(), backup_, kNow + 1000);
  EXPECT_EQ(second.files, 10);
  EXPECT_EQ(second.copied, 2);
  EXPECT_EQ(newest_snapshot(backup_), second.snapshot);
  EXPECT_EQ(read_file(backup_ / "project/clips/2.mp4"), "a better video");
  for (const auto& [snapshot, people] : {std::pair{first.snapshot, 0u}, {second.snapshot, 1u}}) {
    restore(backup_, snapshot, scratch_ / "restored", "");
    const AnnotationProject restored = read_project(scratch_ / "restored");
    AnnotationStore copy(answers_file(restored).string(), restored);
    EXPECT_EQ(copy.people().size(), people);
    fs::remove_all(restored.folder);
  }
}

TEST_P(Backups, EachSnapshotIsOneMomentWhileAnswersArrive) {
  constexpr int kRounds = 40;
  const AnnotationProject project = write_toy_project(made(scratch_ / "long"), kRounds);
  settings_.database = database(GetParam().from, "long.sqlite");
  RunningServer server(project, settings_);
  Visitor leader(server.port());
  leader.sign_in();
  const std::string link = leader.invite("Anna");
  std::atomic<bool> done = false;
  std::thread annotating([&] {
    Visitor anna(server.port());
    anna.join(link);
    for (int task = 1; task <= kRounds; ++task) {
      anna.post_json("/api/annotator/next", Json::object());
      anna.post_json("/api/annotator/answers", sent_answer(task, {0}));
    }
    done = true;
  });
  AnnotationStore store(settings_.database, project);
  int snapshots = 0;
  int answers = 0;
  while (!done) {
    const BackupReport report = back_up(project, store.database(), backup_, kNow + snapshots++);
    AnnotationStore snapshot(report.snapshot.string(), project);
    EXPECT_EQ(snapshot.kept_counts(), snapshot.true_counts());
    EXPECT_GE(report.answers, answers);
    answers = report.answers;
  }
  annotating.join();
  EXPECT_EQ(back_up(project, store.database(), backup_, kNow + snapshots).answers, kRounds);
}

TEST_P(Backups, NobodyElseCanReadIt) {
  AnnotationStore store(settings_.database, project_);
  back_up(project_, store.database(), backup_, kNow);
  restore(backup_, newest_snapshot(backup_), scratch_ / "restored", "");
  const auto others = fs::perms::group_all | fs::perms::others_all;
  for (const fs::path& folder : {backup_, scratch_ / "restored"}) {
    EXPECT_EQ(fs::status(folder).permissions() & others, fs::perms::none);
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      EXPECT_EQ(entry.status().permissions() & others, fs::perms::none) << entry.path();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Backups,
                         testing::Values(Databases{"sqlite", "sqlite"},
                                         Databases{"sqlite", "postgresql"},
                                         Databases{"postgresql", "sqlite"},
                                         Databases{"postgresql", "postgresql"}),
                         [](const auto& info) { return info.param.from + "_to_" + info.param.to; });

TEST(Backup, RefusesFoldersThatAreSomethingElse) {
  ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(made(scratch / "project"), 5);
  AnnotationStore store(answers_file(project).string(), project);
  const auto error = [&](const fs::path& out) {
    return error_of(scratch, [&] { back_up(project, store.database(), out, kNow); });
  };
  EXPECT_EQ(error(project.folder / "backup"),
            "project/backup: is inside the project; choose another --out");
  write_file(made(scratch / "letters") / "a.txt", "Dear Anna");
  EXPECT_EQ(error(scratch / "letters"),
            "letters: exists and is not a backup; choose another --out");
  const AnnotationProject other = write_toy_project(made(scratch / "other"), 6);
  AnnotationStore other_store(answers_file(other).string(), other);
  back_up(other, other_store.database(), scratch / "backup", kNow);
  EXPECT_EQ(error(scratch / "backup"),
            "backup: is a backup of a project with other tasks; choose another --out");
}

TEST(Backup, AnInterruptedBackupIsContinued) {
  ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(made(scratch / "project"), 5);
  AnnotationStore store(answers_file(project).string(), project);
  const fs::path backup = scratch / "backup";
  const BackupReport first = back_up(project, store.database(), backup, kNow);
  fs::rename(first.snapshot, backup / "answers" / "unfinished");
  fs::remove(backup / "project" / "project.json");
  EXPECT_EQ(error_of(scratch, [&] { newest_snapshot(backup); }),
            "backup: is not a finished backup: it has no answers/*.sqlite; create one with "
            "'manyverbs annotate backup'");
  EXPECT_EQ(back_up(project, store.database(), backup, kNow).copied, 1);
  EXPECT_EQ(newest_snapshot(backup), first.snapshot);
}

TEST(Backup, ADamagedOrIncompleteBackupIsNotRestored) {
  ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(made(scratch / "project"), 5);
  AnnotationStore store(answers_file(project).string(), project);
  const fs::path backup = scratch / "backup";
  const fs::path snapshot = back_up(project, store.database(), backup, kNow).snapshot;
  const std::string bytes = read_file(snapshot);
  const auto error = [&] {
    const std::string text =
        error_of(scratch, [&] { restore(backup, snapshot, scratch / "restored", ""); });
    EXPECT_EQ(scratch.names(), (std::vector<std::string>{"backup", "project"}));
    return text;
  };
  write_file(snapshot, bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(error().find("malformed"), std::string::npos);
  write_file(snapshot, bytes);
  fs::remove(backup / "project/clips/4.mp4");
  EXPECT_EQ(error(), "backup/project/clips/4.mp4: is missing in the backup");
}

TEST(Backup, NothingIsOverwrittenByARestore) {
  ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(made(scratch / "project"), 5);
  AnnotationStore store(answers_file(project).string(), project);
  store.add_person("Anna", "link", {"Lea", kNow});
  const fs::path backup = scratch / "backup";
  const fs::path snapshot = back_up(project, store.database(), backup, kNow).snapshot;
  const auto error = [&](const std::string& out, const std::string& database) {
    return error_of(scratch, [&] { restore(backup, snapshot, scratch / out, database); });
  };
  EXPECT_EQ(error("project", ""), "project: already exists; choose another --out or remove it");
  EXPECT_EQ(error("restored", answers_file(project).string()),
            "project/answers.sqlite: exists already; expected a new file");
  const std::string used = PostgresServer::shared().new_database();
  EXPECT_EQ(error("first", used), "");
  EXPECT_NE(error("second", used).find("was used by a server already; expected an empty"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(scratch / "second"));
}

}  // namespace
}  // namespace manyverbs
