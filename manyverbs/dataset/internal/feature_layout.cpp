// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/feature_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include <fmt/ranges.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;
using Arrays = std::vector<std::size_t>;

// Names in use for the arrays of a feature file, the usual ones first.
constexpr std::array<std::string_view, 11> kFeatureNames = {
    "clip_features", "features", "feature", "feats",  "feat", "embeddings",
    "embedding",     "vectors",  "data",    "matrix", "x"};
constexpr std::array<std::string_view, 20> kIdNames = {
    "video_ids",   "video_id", "clip_ids",      "clip_id",      "clips",     "clip", "ids",
    "id",          "names",    "name",          "clip_names",   "uids",      "uid",  "vids",
    "video_names", "keys",     "narration_ids", "narration_id", "filenames", "files"};
constexpr std::array<std::string_view, 5> kLabelNames = {"labels", "label", "targets", "target",
                                                         "y"};
constexpr std::size_t kShownNames = 8;
constexpr ClassId kMostClasses = 1'000'000;

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}
std::string last_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string after_first(const std::string& path) { return path.substr(path.find('/') + 1); }
std::string whole(const std::string& path) { return path; }

using NameOf = std::string (*)(const std::string& path);

// The arrays of one dimension that have the same parent and length.
struct NameLists {
  std::optional<std::size_t> ids;  // with the most usual name
  std::size_t ids_rank = kIdNames.size();
  Arrays texts;
};

class LayoutFinder {
 public:
  LayoutFinder(std::shared_ptr<ArrayStore> store, const FeatureQuery& query)
      : store_(std::move(store)), query_(query), clips_(query.clips.begin(), query.clips.end()) {
    for (std::size_t i = 0; i < array_count(); ++i) add_list(i);
  }

  FeatureFile find() {
    if (store_->arrays.empty() && !store_->problems.empty()) {
      throw Error("{}", store_->problems.begin()->second);
    }
    if (store_->arrays.empty()) throw Error("{}: contains no array", store_->file);
    if (!query_.array.empty()) return selected();
    if (const auto main = main_matrix()) return from_matrix(*main);
    Arrays all;
    for (std::size_t i = 0; i < array_count(); ++i) {
      if (is_clip(i)) all.push_back(i);
    }
    if (const NameOf name_of = naming(all)) return from_clips(all, name_of);
    fail_to_choose();
  }

 private:
  std::size_t array_count() const { return store_->arrays.size(); }
  const StoredArray& array(std::size_t i) const { return store_->arrays[i]; }
  const std::string& name(std::size_t i) const { return array(i).name; }

  bool is_clip(std::size_t i) const {
    const auto shape = clip_shape(array(i).sizes);
    return array(i).type.is_float() && shape && shape->columns > 0;
  }
  bool is_matrix(std::size_t i) const {
    return array(i).type.is_float() && matrix_shape(array(i).sizes).has_value();
  }

  // The position of a name in a table of names, or its size.
  template <typename Table>
  static std::size_t rank(const Table& table, const std::string& path) {
    std::string name = last_of(path);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(table.begin(), table.end(), name) - table.begin();
  }

  [[noreturn]] void fail_to_choose() const {
    Names names;
    for (std::size_t i = 0; i < array_count(); ++i) names.push_back(printable(name(i)));
    const std::size_t shown = std::min(names.size(), kShownNames);
    throw Error("{}: contains {} arrays ({}{}); select one: {}:{}", store_->file, names.size(),
                fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                shown < names.size() ? ", …" : "", store_->file, names.front());
  }

  // An array by its name; an array of each clip; or all clips in a group of this name.
  FeatureFile selected() {
    Arrays of_clips;
    Arrays in_group;
    Names names;
    for (std::size_t i = 0; i < array_count(); ++i) {
      if (name(i) == query_.array) return from_matrix(i);
      if (name(i).ends_with("/" + query_.array)) of_clips.push_back(i);
      if (name(i).starts_with(query_.array + "/")) in_group.push_back(i);
      names.push_back(name(i));
    }
    for (const auto& [part, problem] : store_->problems) {
      if (query_.array == part || query_.array.starts_with(part + "/")) {
        throw Error("{}", problem);
      }
    }
    if (!of_clips.empty()) return from_clips(of_clips, parent_of);
    if (!in_group.empty()) return from_clips(in_group, after_first);
    const std::string nearest = did_you_mean(query_.array, names);
    if (names.size() > kShownNames) {
      names.resize(kShownNames);
      names.emplace_back("…");
    }
    for (std::string& text : names) text = printable(text);
    throw Error("{}: unknown array '{}'; existing arrays: {}{}", store_->file, query_.array,
                fmt::join(names, ", "), nearest);
  }

  // The one array that has the rows of all clips.
  std::optional<std::size_t> main_matrix() const {
    if (array_count() == 1 && !clips_.contains(name(0)) && !store_->is_list) return 0;
    Arrays matrices;
    Arrays with_known_name;
    Arrays with_names;
    for (std::size_t i = 0; i < array_count(); ++i) {
      stop_if_interrupted();
      if (!is_matrix(i) || clips_.contains(name(i))) continue;
      matrices.push_back(i);
      if (rank(kFeatureNames, name(i)) < kFeatureNames.size() && name(i) == last_of(name(i))) {
        with_known_name.push_back(i);
      }
      if (ids_of(i)) with_names.push_back(i);
    }
    if (with_known_name.size() == 1) return with_known_name[0];
    if (with_names.size() == 1) return with_names[0];
    return std::nullopt;
  }

  // The list of names or ids beside a matrix.
  std::optional<std::size_t> ids_of(std::size_t matrix) const {
    const auto found = lists_.find({parent_of(name(matrix)), array(matrix).sizes[0]});
    if (found == lists_.end()) return std::nullopt;
    const NameLists& lists = found->second;
    if (!lists.ids && lists.texts.size() == 1) return lists.texts[0];
    return lists.ids;
  }

  void add_list(std::size_t i) {
    stop_if_interrupted();
    if (array(i).sizes.size() != 1) return;
    NameLists& lists = lists_[{parent_of(name(i)), array(i).sizes[0]}];
    if (array(i).type.is_text()) lists.texts.push_back(i);
    const std::size_t found = rank(kIdNames, name(i));
    if (found < lists.ids_rank) {
      lists.ids_rank = found;
      lists.ids = i;
    }
  }

  FeatureFile from_matrix(std::size_t i) {
    FeatureFile file = started();
    if (!array(i).type.is_float()) {
      throw Error("{}: expected float16, float32 or float64, found {}", file.title,
                  element_name(array(i).type));
    }
    const auto shape = matrix_shape(array(i).sizes);
    if (!shape) {
      throw Error("{}: expected 2 dimensions with one row per clip, or 3 with frames, found {}",
                  file.title, array(i).sizes.size());
    }
    if (shape->columns == 0) throw Error("{}: has no columns", file.title);
    if (shape->frames == 0) throw Error("{}: has no frames", file.title);
    file.rows = shape->rows;
    file.columns = shape->columns;
    file.layout = fmt::format(
        "{}, {}{} {}", store_->format,
        array_count() == 1 && name(i) == "array" ? "" : fmt::format("'{}' ", printable(name(i))),
        shape_text(array(i).sizes), element_name(array(i).type));
    if (shape->frames > 1) file.layout += fmt::format(", mean of {} frames", shape->frames);
    add_names(i, &file);
    add_labels(i, &file);
    file.source = store_->matrix(i);
    return file;
  }

  void add_names(std::size_t matrix, FeatureFile* file) const {
    const auto ids = ids_of(matrix);
    if (!ids) return check_that_no_names_were_left_out(matrix);
    auto texts = store_->texts(*ids);
    if (!texts) {
      throw Error("{}: '{}': expected names or whole numbers", file->title, printable(name(*ids)));
    }
    file->names = *std::move(texts);
    file->layout += fmt::format(", clips by '{}'", printable(name(*ids)));
  }

  // Without them, the rows would be taken in the order of the clips.
  void check_that_no_names_were_left_out(std::size_t matrix) const {
    for (const auto& [part, problem] : store_->problems) {
      if (rank(kIdNames, part) < kIdNames.size() && parent_of(part) == parent_of(name(matrix))) {
        throw Error("{}", problem);
      }
    }
  }

  void add_labels(std::size_t matrix, FeatureFile* file) const {
    for (std::size_t i = 0; i < array_count(); ++i) {
      if (rank(kLabelNames, name(i)) == kLabelNames.size() || array(i).sizes.empty() ||
          array(i).sizes[0] != array(matrix).sizes[0] ||
          parent_of(name(i)) != parent_of(name(matrix))) {
        continue;
      }
      const auto shape = matrix_shape(array(i).sizes);
      const bool is_list = array(i).sizes.size() == 1 || (shape && shape->columns == 1);
      if (is_list) return add_single_labels(i, file);
      if (shape && shape->frames == 1 && shape->columns > 0) {
        return add_label_matrix(i, *shape, file);
      }
    }
  }

  void add_single_labels(std::size_t labels, FeatureFile* file) const {
    const auto texts = store_->texts(labels);
    for (std::size_t row = 0; texts && row < texts->size(); ++row) {
      const auto label = number_in<std::int64_t>((*texts)[row]);
      if (!label || *label < 0 || *label >= kMostClasses) {
        throw Error("{}: '{}', row {}: expected a class from 0 to {}, found '{}'", file->title,
                    name(labels), row, kMostClasses - 1, printable((*texts)[row]));
      }
      file->labels.push_back({static_cast<ClassId>(*label)});
      file->num_classes = std::max(file->num_classes, static_cast<int>(*label) + 1);
    }
  }

  // One column per class; positive numbers are labels.
  void add_label_matrix(std::size_t labels, const RowShape& shape, FeatureFile* file) const {
    if (shape.columns > static_cast<std::size_t>(kMostClasses)) return;
    const auto source = store_->matrix(labels);
    std::vector<std::uint16_t> halves(shape.columns);
    std::vector<float> numbers(shape.columns);
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const bool half = source->type() == NumberType::Float16;
      source->read({&row, 1}, half ? reinterpret_cast<std::byte*>(halves.data())
                                   : reinterpret_cast<std::byte*>(numbers.data()));
      std::vector<ClassId> found;
      for (std::size_t j = 0; j < shape.columns; ++j) {
        if ((half ? to_float(Half{halves[j]}) : numbers[j]) > 0) {
          found.push_back(static_cast<ClassId>(j));
        }
      }
      file->labels.push_back(std::move(found));
    }
    file->num_classes = static_cast<int>(shape.columns);
  }

  // How the paths of arrays name clips; nothing if they do not.
  NameOf naming(const Arrays& which) const {
    if (which.empty()) return nullptr;
    if (!clips_.empty()) return naming_by_clips(which);
    std::set<std::string> leaves;
    std::set<std::string> parents;
    std::set<std::string> groups;
    for (const std::size_t i : which) {
      leaves.insert(last_of(name(i)));
      parents.insert(parent_of(name(i)));
      groups.insert(name(i).substr(0, name(i).find('/')));
    }
    if (parents.size() > 1 && leaves.size() * parents.size() == which.size()) {
      return parent_of;  // clip/rgb, or clip/rgb and clip/flow
    }
    return groups.size() == 1 && which.size() > 1 ? after_first : whole;
  }

  // The naming that finds most of the clips; a list has no names.
  NameOf naming_by_clips(const Arrays& which) const {
    if (store_->is_list) return whole;
    NameOf best = nullptr;
    std::size_t most = 0;
    for (const NameOf candidate : {whole, parent_of, after_first, last_of}) {
      const auto found =
          static_cast<std::size_t>(std::count_if(which.begin(), which.end(), [&](std::size_t i) {
            return clips_.contains(candidate(name(i)));
          }));
      if (found > most) {
        most = found;
        best = candidate;
      }
    }
    return best;
  }

  FeatureFile from_clips(const Arrays& which, NameOf name_of) {
    FeatureFile file = started();
    std::unordered_set<std::string> seen;
    std::size_t shortest = SIZE_MAX;
    std::size_t longest = 0;
    for (const std::size_t i : which) {
      const std::string clip = name_of(name(i));
      if (!seen.insert(clip).second) {
        throw Error("{}: the clip '{}' has several arrays; select one: {}:{}", store_->file,
                    printable(clip), store_->file, printable(last_of(name(which[0]))));
      }
      const auto shape = clip_shape(array(i).sizes);
      if (!array(i).type.is_float() || !shape) {
        throw Error("{}: the clip '{}': expected D or T x D floats, found {} {}", file.title,
                    printable(clip), shape_text(array(i).sizes), element_name(array(i).type));
      }
      if (shape->frames == 0) throw Error("{}: '{}' has no frames", file.title, printable(clip));
      if (file.columns == 0) file.columns = shape->columns;
      if (file.columns != shape->columns || file.columns == 0) {
        throw Error("{}: expected {} columns as in '{}', found {} in '{}'", file.title,
                    file.columns, printable(name(which[0])), shape->columns, printable(name(i)));
      }
      shortest = std::min(shortest, shape->frames);
      longest = std::max(longest, shape->frames);
      file.names.push_back(clip);
    }
    file.rows = which.size();
    file.layout = fmt::format("{}, one array per clip, {} {}", store_->format, file.columns,
                              element_name(array(which[0]).type));
    if (longest > 1) {
      file.layout += shortest == longest
                         ? fmt::format(", mean of {} frames", longest)
                         : fmt::format(", mean of {} to {} frames", shortest, longest);
    }
    file.source = store_->clips(which);
    return file;
  }

  FeatureFile started() const {
    FeatureFile file;
    file.title = query_.array.empty() ? store_->file : store_->file + ":" + query_.array;
    file.store = store_;
    return file;
  }

  std::shared_ptr<ArrayStore> store_;
  const FeatureQuery& query_;
  std::unordered_set<std::string> clips_;
  std::map<std::pair<std::string, std::int64_t>, NameLists> lists_;
};

}  // namespace

bool is_name_column(std::string_view name) {
  return std::find(kIdNames.begin(), kIdNames.end(), name) != kIdNames.end();
}

FeatureFile find_features(std::shared_ptr<ArrayStore> store, const FeatureQuery& query) {
  return LayoutFinder(std::move(store), query).find();
}

}  // namespace manyverbs
