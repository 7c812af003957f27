// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/decoding/frames.h"
#include "manyverbs/decoding/internal/numbered_files.h"

namespace manyverbs {

/// Numbered images of a video in a folder or in a tar file, which is not unpacked: frames
/// (frame_0000000001.jpg …) and flow (the same numbers in u/ and v/, or flow_x_00001.jpg and
/// flow_y_00001.jpg …).

enum class PictureKind { Frames, FlowRight, FlowDown };
inline constexpr std::array kPictureKinds = {PictureKind::Frames, PictureKind::FlowRight,
                                             PictureKind::FlowDown};

/// Images of one kind: in a tar file also their places.
struct PictureSequence {
  struct Place {
    std::uint32_t block = 0;  ///< of 512 bytes in the tar file
    std::uint32_t size = 0;   ///< in bytes
  };

  NumberedFiles names;
  std::vector<Place> places;  ///< empty for a folder
};

/// Whether frames are read from this path as images: a folder or a tar file.
bool holds_pictures(const std::filesystem::path& path);

/// The images of a folder or a tar file. Looked up at the first use, then shared by all clips of
/// the video. Thread-safe.
class PictureSource {
 public:
  /// `index_folder` stores the places in tar files, so that their headers are read once: in a file
  /// named by content, CONTENT.index. Without `content`, the headers are read.
  explicit PictureSource(std::filesystem::path path, std::filesystem::path index_folder = {},
                         std::string content = {});

  const std::filesystem::path& path() const { return path_; }
  /// Content hash of names, sizes and places of the images and of the bytes of the first; of a
  /// folder, content_hash(), or that of u/ and v/ in it.
  std::string content() const;
  /// Whether there are images of a kind. Throws Error if the folder or tar file cannot be read.
  bool has(PictureKind kind) const;
  /// Throws Error if there are none, or if a number is missing.
  const PictureSequence& sequence(PictureKind kind) const;
  /// The image at a position of a sequence. Throws Error if it cannot be read.
  Image read(PictureKind kind, int position, Colour colour) const;
  /// The name of an image for messages: "P01_01/frame_0000000001.jpg".
  std::string name(PictureKind kind, int position) const;

 private:
  // A sequence, or why it cannot be used.
  struct Found {
    std::optional<PictureSequence> sequence;
    std::string problem;
  };

  void open() const;
  bool read_index() const;
  void write_index() const;

  std::filesystem::path path_;
  std::filesystem::path index_folder_;
  bool is_tar_;
  mutable std::mutex mutex_;
  mutable bool is_open_ = false;
  mutable std::string content_;  // of a tar file, once known
  mutable std::array<Found, kPictureKinds.size()> found_;
};

/// find_parts() of frames.h in images.
std::vector<FoundPart> find_parts(const std::shared_ptr<const PictureSource>& source,
                                  std::span<const VideoPart> parts);

/// file_state() of a video or tar file, or folder_state() of a folder and of u/ and v/ in it.
std::string video_state(const std::filesystem::path& path);

}  // namespace manyverbs
