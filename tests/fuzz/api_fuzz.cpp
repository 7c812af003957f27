// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/annotator_api.h"
#include "manyverbs/server/internal/leader_api.h"
#include "manyverbs/server/internal/review_api.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/server/internal/web_session.h"
#include "tests/server/toy_project.h"

namespace {

using namespace manyverbs;

constexpr Time kNow = 1'700'000'000'000;
const Author kLeader{"Lea", kNow};

std::filesystem::path new_folder() {
  std::string name = "/dev/shm/manyverbs-fuzz-XXXXXX";  // no disk to wait for
  if (mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

// A project with a person who has clips to annotate.
class Annotation {
 public:
  Annotation() {
    person_.practised = true;
    annotators_.next(person_, kNow);
  }
  ~Annotation() { std::filesystem::remove_all(folder_); }
  Annotation(const Annotation&) = delete;
  Annotation& operator=(const Annotation&) = delete;

  // The call with that number.
  void call(std::uint8_t number, const Json& body) {
    HttpResponse response;
    switch (number % 24) {
      case 0:
        annotators_.save(person_, body, kNow);
        break;
      case 1:
        annotators_.report(person_, body, kNow);
        break;
      case 2:
        annotators_.check_practice(person_, body);
        break;
      case 3:
        leaders_.set_settings(body, kLeader);
        break;
      case 4:
        leaders_.invite(body, "http://127.0.0.1", kLeader);
        break;
      case 5:
        leaders_.set_state(person_.id, body, kLeader);
        break;
      case 6:
        leaders_.forget_reports(body, kLeader);
        break;
      case 7:
        leaders_.invite_many(body, "http://127.0.0.1", kLeader);
        break;
      case 8:
        reviews_.decide(body, kLeader);
        break;
      case 9:
        guides_.change(body, kLeader);
        break;
      case 10:
        leaders_.rename(person_.id, body, kLeader);
        break;
      case 11:
        leaders_.new_link(person_.id, body, "http://127.0.0.1", kLeader);
        break;
      case 12:
        sessions_.join(body_value<std::string>(body, "token"), request_, &response);
        break;
      case 13:
        sessions_.invitee(body_value<std::string>(body, "token"));
        break;
      case 14:
        leaders_.remove(leaders_.invite(body, "", kLeader)["person"]["id"].get<int>(), body,
                        kLeader);
        break;
      case 15:
        accounts_.invite(body_value<std::string>(body, "name"), new_token(), kLeader);
        break;
      default:
        sessions_.set_up(body, &response);
    }
  }

 private:
  std::filesystem::path folder_ = new_folder();
  AnnotationProject project_ = write_toy_project(folder_, 3);
  AnnotationStore store_{(folder_ / "answers.sqlite").string(), project_};
  AnnotatorApi annotators_{&project_, &store_};
  LiveRound round_{&project_, &store_};
  LeaderApi leaders_{&project_, &store_, &round_};
  ReviewApi reviews_{&project_, &store_, &round_};
  GuideApi guides_{&project_, &store_};
  Leaders accounts_{&store_.database()};
  WebSessions sessions_{&store_, &accounts_, ""};
  HttpRequest request_;
  Person person_ = store_.add_person("Ann", "link", kLeader);
};

}  // namespace

// A JSON body of a call of the annotation server; the first byte selects the call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<Annotation> annotation;
  static int calls = 0;
  if (size == 0) return 0;
  if (calls++ % 1000 == 0) annotation = std::make_unique<Annotation>();
  try {
    annotation->call(data[0], body_json({reinterpret_cast<const char*>(data + 1), size - 1}));
  } catch (const HttpError&) {  // the expected answer to an invalid body
  }
  return 0;
}
