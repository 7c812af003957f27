// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/picture_source.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "manyverbs/decoding/internal/jpeg.h"
#include "manyverbs/decoding/internal/tar_file.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

static_assert(std::endian::native == std::endian::little, "stored indices are little-endian");

constexpr std::uint64_t kLargestPicture = 1 << 28;
constexpr int kIndexFormat = 1;

std::size_t index_of(PictureKind kind) { return static_cast<std::size_t>(kind); }

// The numbered images of a folder; of a folder in a tar file also their places.
struct Pictures {
  std::vector<NumberedName> names;
  std::vector<PictureSequence::Place> places;
};
using Folders = std::map<std::filesystem::path, Pictures>;

PictureSequence::Place place_of(const std::filesystem::path& tar, const TarMember& member) {
  if (member.size > kLargestPicture || member.offset / kTarBlock > UINT32_MAX) {
    throw Error("{}: '{}' with {} bytes at byte {} is too large for an image", tar.string(),
                member.name, member.size, member.offset);
  }
  return {static_cast<std::uint32_t>(member.offset / kTarBlock),
          static_cast<std::uint32_t>(member.size)};
}

Folders folders_in_tar(const std::filesystem::path& tar) {
  Folders folders;
  for_each_member(tar, [&](const TarMember& member) {
    const std::filesystem::path name(member.name);
    std::optional<NumberedName> parts = parse_numbered_name(name.filename().native());
    if (!parts) return;
    Pictures& pictures = folders[tar / name.parent_path()];
    parts->index = pictures.places.size();
    pictures.names.push_back(std::move(*parts));
    pictures.places.push_back(place_of(tar, member));
  });
  return folders;
}

Folders folders_on_disk(const std::filesystem::path& folder) {
  Folders folders;
  for (const std::filesystem::path& place : {folder, folder / "u", folder / "v"}) {
    if (!std::filesystem::is_directory(place)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      std::optional<NumberedName> parts = parse_numbered_name(entry.path().filename().native());
      if (parts) folders[place].names.push_back(std::move(*parts));
    }
  }
  return folders;
}

// Whether flow is in folders u and v instead of in files flow_x_… and flow_y_….
bool is_apart(const std::filesystem::path& folder) {
  return folder.filename() == "u" || folder.filename() == "v";
}

std::string prefix_of(PictureKind kind, const std::filesystem::path& folder) {
  if (kind == PictureKind::Frames || is_apart(folder)) return "";
  return std::string(kind == PictureKind::FlowRight ? kFlowRightPrefix : kFlowDownPrefix);
}

// Whether a folder can have images of a kind.
bool fits(PictureKind kind, const std::filesystem::path& folder) {
  if (!is_apart(folder)) return true;
  return kind == (folder.filename() == "u" ? PictureKind::FlowRight : PictureKind::FlowDown);
}

// The images of one kind, which are all in one folder. Throws Error as select_sequence() does.
std::optional<PictureSequence> sequence_in(const Folders& folders, PictureKind kind,
                                           const std::filesystem::path& path) {
  std::optional<PictureSequence> found;
  for (const auto& [folder, pictures] : folders) {
    if (!fits(kind, folder)) continue;
    std::vector<NumberedName> names = pictures.names;
    const auto files = select_sequence(folder, prefix_of(kind, folder), &names);
    if (!files) continue;
    if (found) {
      throw Error("{}: expected the images in one folder, found {} and {}", path.string(),
                  found->names.folder.string(), folder.string());
    }
    found = PictureSequence{*files, {}};
    if (pictures.places.empty()) continue;
    for (const NumberedName& name : names) found->places.push_back(pictures.places[name.index]);
  }
  return found;
}

std::string_view expected_names(PictureKind kind) {
  return kind == PictureKind::Frames
             ? "expected numbered images such as img_00001.jpg, img_00002.jpg …, found none"
             : "expected flow images such as flow_x_00001.jpg and flow_y_00001.jpg …, found none";
}

// The header of a stored index; the places of all sequences follow it.
Json header_of(PictureKind kind, const PictureSequence& sequence) {
  const NumberedFiles& names = sequence.names;
  return {{"kind", index_of(kind)}, {"folder", names.folder.string()}, {"prefix", names.prefix},
          {"ending", names.ending}, {"digits", names.digits},          {"first", names.first},
          {"count", names.count}};
}

// Throws Error if a name is not UTF-8.
std::string header_line(const Json& header, const std::filesystem::path& path) {
  try {
    return header.dump() + "\n";
  } catch (const Json::type_error&) {
    throw Error("{}: a name in it is not UTF-8", path.string());
  }
}

std::string place_bytes(const std::vector<PictureSequence::Place>& places) {
  return {reinterpret_cast<const char*>(places.data()), places.size() * sizeof(places.front())};
}

}  // namespace

bool holds_pictures(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) || is_tar_file(path);
}

PictureSource::PictureSource(std::filesystem::path path, std::filesystem::path index_folder,
                             std::string content)
    : path_(std::move(path)),
      index_folder_(std::move(index_folder)),
      is_tar_(is_tar_file(path_)),
      content_(std::move(content)) {}

std::string PictureSource::content() const {
  if (is_tar_) {
    open();
    return content_;
  }
  if (!std::filesystem::is_directory(path_ / "u")) return content_hash(path_);
  return bytes_hash(content_hash(path_ / "u") + content_hash(path_ / "v"));
}

bool PictureSource::has(PictureKind kind) const {
  open();
  return found_[index_of(kind)].sequence.has_value();
}

const PictureSequence& PictureSource::sequence(PictureKind kind) const {
  open();
  const Found& found = found_[index_of(kind)];
  if (found.sequence) return *found.sequence;
  if (!found.problem.empty()) throw Error("{}", found.problem);
  throw Error("{}: {}", path_.string(), expected_names(kind));
}

Image PictureSource::read(PictureKind kind, int position, Colour colour) const {
  const PictureSequence& pictures = sequence(kind);
  const std::filesystem::path file = pictures.names.path(position);
  if (!is_tar_) return read_picture(file, colour);
  const PictureSequence::Place place = pictures.places[position];
  if (place.size == 0) throw Error("{}: is empty", file.string());
  return decode_jpeg(read_place(path_, place.block * kTarBlock, place.size), colour, file);
}

std::string PictureSource::name(PictureKind kind, int position) const {
  return sequence(kind).names.path(position).string();
}

void PictureSource::open() const {
  const std::lock_guard lock(mutex_);
  if (is_open_) return;
  if (!is_tar_ || !read_index()) {
    for (Found& found : found_) {  // nothing of a damaged index
      found.sequence.reset();
      found.problem.clear();
    }
    const Folders folders = is_tar_ ? folders_in_tar(path_) : folders_on_disk(path_);
    for (const PictureKind kind : kPictureKinds) {
      try {
        found_[index_of(kind)].sequence = sequence_in(folders, kind, path_);
      } catch (const Error& problem) {
        found_[index_of(kind)].problem = problem.what();
      }
    }
    if (is_tar_) write_index();
  }
  is_open_ = true;
}

// The places of the images are part of the content, because a stored index is known by it.
void PictureSource::write_index() const {
  Json header = {{"format", kIndexFormat},
                 {"bytes", std::filesystem::file_size(path_)},
                 {"sequences", Json::array()}};
  std::string places;
  std::string first;
  for (const PictureKind kind : kPictureKinds) {
    const auto& sequence = found_[index_of(kind)].sequence;
    if (!sequence) continue;
    PictureSequence relative = *sequence;
    relative.names.folder = sequence->names.folder.lexically_relative(path_);
    header["sequences"].push_back(header_of(kind, relative));
    places += place_bytes(sequence->places);
    const PictureSequence::Place place = sequence->places.front();
    if (first.empty()) first = read_place(path_, place.block * kTarBlock, place.size);
  }
  const std::string text = header_line(header, path_) + places;
  content_ = bytes_hash(text + first);
  if (index_folder_.empty() || places.empty()) return;
  try {
    std::filesystem::create_directories(index_folder_);
    write_file(index_folder_ / (content_ + ".index"), text);
  } catch (const std::exception&) {
    // Only a shortcut: on a read-only file system the next process reads the headers again.
  }
}

bool PictureSource::read_index() const {
  const std::filesystem::path file = index_folder_ / (content_ + ".index");
  if (content_.empty() || index_folder_.empty() || !std::filesystem::is_regular_file(file)) {
    return false;
  }
  try {
    const std::string text = read_file(file);
    const std::size_t line = text.find('\n');
    const Json header = Json::parse(text.substr(0, line));
    const auto bytes = header.at("bytes").get<std::uint64_t>();
    if (header.at("format") != kIndexFormat || bytes != std::filesystem::file_size(path_)) {
      return false;
    }
    std::string_view left = std::string_view(text).substr(line + 1);
    for (const Json& each : header.at("sequences")) {
      PictureSequence sequence;
      NumberedFiles& names = sequence.names;
      names.folder = (path_ / each.at("folder").get<std::string>()).lexically_normal();
      each.at("prefix").get_to(names.prefix);
      each.at("ending").get_to(names.ending);
      each.at("digits").get_to(names.digits);
      each.at("first").get_to(names.first);
      each.at("count").get_to(names.count);
      sequence.places.resize(names.count);
      const std::size_t size = sequence.places.size() * sizeof(PictureSequence::Place);
      if (size == 0 || size > left.size()) return false;
      std::memcpy(sequence.places.data(), left.data(), size);
      left.remove_prefix(size);
      found_.at(each.at("kind").get<std::size_t>()).sequence = std::move(sequence);
    }
    return left.empty();
  } catch (const std::exception&) {
    // A damaged index is made again.
    return false;
  }
}

std::string video_state(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return file_state(path);
  std::string state = folder_state(path);
  for (const char* direction : {"u", "v"}) {
    if (!std::filesystem::is_directory(path / direction)) continue;
    const std::string added = folder_state(path / direction);
    state = state.empty() || added.empty() ? "" : state + "/" + added;
  }
  return state;
}

}  // namespace manyverbs
