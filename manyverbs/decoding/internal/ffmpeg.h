// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>
}

namespace manyverbs {

/// FFmpeg helpers shared in this room.

inline void free_input(AVFormatContext* context) { avformat_close_input(&context); }
inline void free_codec(AVCodecContext* context) { avcodec_free_context(&context); }
inline void free_packet(AVPacket* packet) { av_packet_free(&packet); }
inline void free_frame(AVFrame* frame) { av_frame_free(&frame); }

template <auto free>
struct FreeWith {
  void operator()(auto* value) const { free(value); }
};
/// Owns an FFmpeg object.
template <typename T, auto free>
using Owned = std::unique_ptr<T, FreeWith<free>>;

/// The text of an FFmpeg error code.
inline std::string ffmpeg_reason(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

/// Disables the log output of FFmpeg in the whole program; errors are thrown instead.
inline void silence_ffmpeg() {
  static const bool done = (av_log_set_level(AV_LOG_QUIET), true);
  static_cast<void>(done);
}

}  // namespace manyverbs
