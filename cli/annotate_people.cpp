// SPDX-License-Identifier: MIT
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/annotate.h"
#include "cli/dataset_text.h"
#include "manyverbs/server/internal/leader_api.h"
#include "manyverbs/server/internal/names.h"
#include "manyverbs/server/internal/remarks.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs::cli {
namespace {

constexpr const char* kLocalUrl = "http://127.0.0.1:8080";  // of 'annotate serve' by default
constexpr int kWhoWidth = 16;
constexpr int kActionWidth = 22;

bool is_utf8(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const Json::exception&) {
    return false;
  }
}

// The name in a line of a file, checked.
std::string name_at(const std::string& text, const std::string& file, int line) {
  if (!is_utf8(text)) {
    throw Error("{}:{}: is not valid UTF-8; save the file with this encoding", file, line);
  }
  try {
    return clean_name(text);
  } catch (const Error& error) {
    throw Error("{}:{}: {}", file, line, error.what());
  }
}

// Whether the first line of a file is the header of a table with names, whatever separates it.
bool is_header(const std::string& line) {
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(",;\t", at), line.size());
    std::string field(trimmed(std::string_view(line).substr(at, end - at)));
    std::erase(field, '"');
    if (folded_name(field) == "name") return true;
    at = end + 1;
  }
  return false;
}

// The column of names, in any case.
int name_column(const CsvTable& table) {
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (folded_name(table.header[i]) == "name") return static_cast<int>(i);
  }
  return table.column("name");
}

// One name per line, or the column `name` of a table.
std::vector<std::string> names_in(const std::string& file) {
  std::string text = read_file(file);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const std::string first = text.substr(0, text.find_first_of("\r\n"));
  std::vector<std::string> names;
  if (is_header(first)) {
    const CsvTable table = parse_csv(text, file);
    const int column = name_column(table);
    for (const CsvRow& row : table.rows) {
      names.push_back(name_at(row.fields[column], file, row.line));
    }
  } else {
    int line = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view name = trimmed(std::string_view(text).substr(at, end - at));
      ++line;
      if (!name.empty()) names.push_back(name_at(std::string(name), file, line));
      at = end + 1;
    }
  }
  if (names.empty()) throw Error("{}: contains no name", file);
  return names;
}

// Unlike other commands, this one need not come after the first start of the server.
std::unique_ptr<AnnotationStore> open_or_create(const ProjectOptions& options,
                                                const AnnotationProject& project) {
  if (!options.database.empty()) return open_store(options, project);
  return std::make_unique<AnnotationStore>(answers_file(project).string(), project);
}

// A file of links, readable by its owner only, which is removed unless kept.
class LinkFile {
 public:
  explicit LinkFile(std::string path) : path_(std::move(path)) {
    if (std::filesystem::exists(path_)) {
      throw Error("{}: already exists; choose another --out or remove it", path_);
    }
  }
  ~LinkFile() {
    std::error_code ignored;
    if (is_written_ && !kept_) std::filesystem::remove(path_, ignored);
  }
  LinkFile(const LinkFile&) = delete;
  LinkFile& operator=(const LinkFile&) = delete;

  void write(const std::string& text) {
    const mode_t before = umask(0077);  // also for the temporary file
    try {
      write_file(path_, text);
    } catch (...) {
      umask(before);
      throw;
    }
    umask(before);
    is_written_ = true;
  }
  bool is_written() const { return is_written_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool is_written_ = false;
  bool kept_ = false;
};

// Invites people; their links are on disk before anybody is invited, because they cannot be read
// from the database.
void invite(AnnotationStore* store, const std::vector<std::string>& names, const std::string& site,
            const std::string& out) {
  std::vector<AnnotationStore::Invitation> invitations;
  std::vector<std::string> tokens;
  for (const std::string& name : names) {
    tokens.push_back(new_token());
    invitations.push_back({name, token_hash(tokens.back())});
  }
  LinkFile file(out);
  int added = 0;
  std::vector<AnnotationStore::Invited> invited;
  try {
    invited = store->invite(invitations, {kCommandLine, time_now()},
                            [&](const std::vector<AnnotationStore::Invited>& all) {
                              std::string lines = csv_line({"name", "link"});
                              for (std::size_t i = 0; i < all.size(); ++i) {
                                if (all[i].existed) continue;
                                lines += csv_line({without_formula(all[i].person.name),
                                                   personal_link(site, tokens[i])});
                                ++added;
                              }
                              if (added > 0) file.write(lines);
                            });
  } catch (const DatabaseError& error) {
    if (!file.is_written()) throw;
    file.keep();  // the database may have the people, though it did not say so
    throw Error("{}; the links in {} may work or not: see 'annotate status'", error.what(), out);
  }
  file.keep();
  fmt::print("{}\n", added > 0 ? fmt::format("{}: {}", out, counted(added, "link", "links"))
                               : "no new people");
  for (const AnnotationStore::Invited& each : invited) {
    if (each.existed) fmt::print("  already invited: {}\n", printable(each.person.name));
  }
}

void annotate_invite_command(const Arguments& arguments) {
  CommandLine line("annotate invite",
                   "manyverbs annotate invite project --names names.txt --public-url "
                   "https://verbs.example.org --out links.csv\n"
                   "manyverbs annotate invite project --name Ann --name 'Ben Lee' --out links.csv");
  ProjectOptions options;
  std::vector<std::string> names;
  std::string file;
  std::string site = kLocalUrl;
  std::string out;
  add_project_options(line, &options);
  line.app.add_option("--name", names, "Name of a person; may be repeated");
  line.app.add_option("--names", file, "File with one name per line, or CSV with a column 'name'");
  line.app
      .add_option("--public-url", site,
                  "URL that people open: that of the reverse proxy, or of 'annotate serve'")
      ->check(public_url());
  line.app
      .add_option("--out", out,
                  "CSV file to write: name,link; only the owner can read it. A link signs in one "
                  "device, once")
      ->required();
  if (!line.parse(arguments)) return;
  if (names.empty() == file.empty()) {
    throw UsageError("manyverbs annotate invite: expected either --name or --names");
  }
  for (std::string& name : names) name = clean_name(name);
  if (!file.empty()) names = names_in(file);
  if (site.ends_with('/')) site.pop_back();
  const AnnotationProject project = read_project(options.folder);
  invite(open_or_create(options, project).get(), names, site, out);
}

void annotate_log_command(const Arguments& arguments) {
  CommandLine line("annotate log",
                   "manyverbs annotate log project\n"
                   "manyverbs annotate log project --most 1000 --json");
  ProjectOptions options;
  int most = 50;
  bool as_json = false;
  add_project_options(line, &options);
  line.app.add_option("--most", most, "Number of entries to show")->check(from_up(1));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;
  const AnnotationProject project = read_project(options.folder);
  const std::unique_ptr<AnnotationStore> store = open_store(options, project);
  const std::vector<LogEntry> entries = store->log(0, most);
  const int total = store->log_size();
  if (as_json) {
    Json list = Json::array();
    for (const LogEntry& entry : entries) list.push_back(log_json(entry));
    print_json({{"total", total}, {"entries", list}});
    return;
  }
  if (entries.empty()) {
    fmt::print("the log is empty\n");
    return;
  }
  const auto print = [](const std::string& time, const std::string& who, const std::string& action,
                        const std::string& about) {
    fmt::print("{:<20}  {}  {}  {}\n", time, left_aligned(shortened(who, kWhoWidth), kWhoWidth),
               left_aligned(action, kActionWidth), about);
  };
  print("Time", "Who", "Action", "Subject");
  for (const LogEntry& entry : entries) {
    const char* colon = entry.subject.empty() || entry.details.empty() ? "" : ": ";
    print(time_text(entry.time), printable(entry.who), printable(entry.action),
          printable(entry.subject) + colon + printable(entry.details));
  }
  if (total > std::ssize(entries)) {
    fmt::print("{} of {}; --most shows more\n", grouped(std::ssize(entries)),
               counted(total, "entry", "entries"));
  }
}

const Registration kAnnotateInvite("annotate invite", annotate_invite_command);
const Registration kAnnotateLog("annotate log", annotate_log_command);

}  // namespace
}  // namespace manyverbs::cli
