// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/video_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "manyverbs/decoding/internal/ffmpeg.h"
#include "manyverbs/decoding/internal/matrices.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// Maximum number of consecutive failures that next() skips.
constexpr int kMostBadPackets = 1000;

using InputFile = Owned<AVFormatContext, free_input>;

// Throws a specific error before FFmpeg would report a damaged file.
void require_readable(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENOENT) throw Error("{}: the file does not exist", path.string());
  if (descriptor < 0) throw Error("{}: cannot be opened: {}", path.string(), std::strerror(errno));
  struct stat status {};
  fstat(descriptor, &status);
  close(descriptor);
  if (S_ISDIR(status.st_mode)) throw Error("{}: is a folder, not a video", path.string());
  if (!S_ISREG(status.st_mode)) throw Error("{}: is not a regular file", path.string());
  if (status.st_size == 0) throw Error("{}: is empty", path.string());
}

InputFile open_file(const std::filesystem::path& path) {
  require_readable(path);
  AVFormatContext* opened = nullptr;
  // With the prefix, a colon in a name is not parsed as a protocol.
  const int code =
      avformat_open_input(&opened, ("file:" + path.string()).c_str(), nullptr, nullptr);
  if (code < 0) {
    throw Error("{}: is damaged or not a video: {}", path.string(), ffmpeg_reason(code));
  }
  return InputFile(opened);
}

// Clockwise quarter turns that make the image upright.
int quarter_turns(AVStream* stream) {
  const auto* matrix = reinterpret_cast<const std::int32_t*>(
      av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
  if (matrix == nullptr) return 0;
  const double degrees = av_display_rotation_get(matrix);
  if (std::isnan(degrees)) return 0;
  return ((static_cast<int>(std::lround(-degrees / 90)) % 4) + 4) % 4;
}

}  // namespace

struct VideoFile::State {
  std::filesystem::path path;
  InputFile file;
  Owned<AVCodecContext, free_codec> decoder;
  Owned<AVPacket, free_packet> packet{av_packet_alloc()};
  Owned<AVFrame, free_frame> frame{av_frame_alloc()};
  Owned<SwsContext, sws_freeContext> converter;
  AVStream* stream = nullptr;
  int turns = 0;
  bool at_end = false;
  double time = -1;
  std::int64_t origin = AV_NOPTS_VALUE;  // timestamp of the first decoded frame
  cv::Mat colours;                       // of the stored frame
  cv::Mat upright;
  cv::Mat small;

  void find_stream();
  void open_decoder();
  bool feed();
  bool decode();
  double seconds(std::int64_t timestamp) const;
};

void VideoFile::State::find_stream() {
  const int code = avformat_find_stream_info(file.get(), nullptr);
  if (code < 0) throw Error("{}: is damaged: {}", path.string(), ffmpeg_reason(code));
  const int index = av_find_best_stream(file.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index < 0 || (file->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    throw Error("{}: has no video stream", path.string());
  }
  stream = file->streams[index];
  for (unsigned i = 0; i < file->nb_streams; ++i) {
    if (static_cast<int>(i) != index) file->streams[i]->discard = AVDISCARD_ALL;
  }
  turns = quarter_turns(stream);
}

void VideoFile::State::open_decoder() {
  const AVCodec* codec = avcodec_find_decoder(stream->codecpar->codec_id);
  if (codec == nullptr) {
    throw Error("{}: the codec {} is not supported", path.string(),
                avcodec_get_name(stream->codecpar->codec_id));
  }
  decoder.reset(avcodec_alloc_context3(codec));
  if (avcodec_parameters_to_context(decoder.get(), stream->codecpar) < 0) throw std::bad_alloc();
  decoder->thread_count = 1;
  decoder->pkt_timebase = stream->time_base;
  const int code = avcodec_open2(decoder.get(), codec, nullptr);
  if (code < 0) throw Error("{}: cannot be decoded: {}", path.string(), ffmpeg_reason(code));
}

double VideoFile::State::seconds(std::int64_t timestamp) const {
  return static_cast<double>(timestamp - origin) * av_q2d(stream->time_base);
}

// Sends the next packet of the stream to the decoder; false after the last.
bool VideoFile::State::feed() {
  while (av_read_frame(file.get(), packet.get()) >= 0) {
    const bool is_video = packet->stream_index == stream->index;
    if (is_video)
      avcodec_send_packet(decoder.get(), packet.get());  // a damaged packet gives no frame
    av_packet_unref(packet.get());
    if (is_video) return true;
  }
  return false;
}

bool VideoFile::State::decode() {
  for (int bad = 0; bad < kMostBadPackets;) {
    const int code = avcodec_receive_frame(decoder.get(), frame.get());
    if (code == 0) {
      if (frame->width > 0 && frame->height > 0) return true;
      ++bad;
    } else if (code == AVERROR_EOF || at_end) {
      return false;
    } else {
      if (code != AVERROR(EAGAIN)) ++bad;
      if (!feed()) {
        at_end = true;
        avcodec_send_packet(decoder.get(), nullptr);  // flush delayed frames
      }
    }
  }
  return false;
}

VideoFile::VideoFile(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  silence_ffmpeg();
  state_->path = path;
  state_->file = open_file(path);
  state_->find_stream();
  state_->open_decoder();
}

VideoFile::~VideoFile() = default;

bool VideoFile::next() {
  if (!state_->decode()) return false;
  const std::int64_t shown = state_->frame->best_effort_timestamp;
  if (state_->origin == AV_NOPTS_VALUE) state_->origin = shown;
  const double rate = frame_rate();
  const double step = rate > 0 ? 1 / rate : 0.04;
  const double guess = state_->time < 0 ? 0 : state_->time + step;
  // Frames come in display order; a decreasing time is invalid.
  const double time = shown == AV_NOPTS_VALUE ? guess : state_->seconds(shown);
  state_->time = time > state_->time ? std::max(time, 0.0) : guess;
  return true;
}

bool VideoFile::jump_to(double time) {
  State& state = *state_;
  if (state.origin == AV_NOPTS_VALUE && (!next() || state.origin == AV_NOPTS_VALUE)) return false;
  const double base = av_q2d(state.stream->time_base);
  // A key frame may be stored before a time and displayed after it; then seek further back.
  for (const double back : {0.0, 2.0, 10.0}) {
    const auto target = state.origin + static_cast<std::int64_t>(std::floor((time - back) / base));
    if (av_seek_frame(state.file.get(), state.stream->index, target, AVSEEK_FLAG_BACKWARD) < 0) {
      return false;
    }
    avcodec_flush_buffers(state.decoder.get());
    state.at_end = false;
    while (state.decode()) {
      if (state.frame->pts == AV_NOPTS_VALUE) return false;
      state.time = state.seconds(state.frame->pts);
      if (std::abs(state.time - time) < base / 2) return true;
      if (state.time > time) break;
    }
  }
  return false;
}

double VideoFile::time() const { return state_->time; }

void VideoFile::picture(const FrameFormat& format, Image* image) {
  State& state = *state_;
  const AVFrame& frame = *state.frame;
  state.converter.reset(sws_getCachedContext(state.converter.release(), frame.width, frame.height,
                                             static_cast<AVPixelFormat>(frame.format), frame.width,
                                             frame.height, AV_PIX_FMT_RGB24, SWS_BICUBIC, nullptr,
                                             nullptr, nullptr));
  if (state.converter == nullptr) {
    throw Error("{}: the pixel format cannot be converted to RGB", state.path.string());
  }
  state.colours.create(frame.height, frame.width, CV_8UC3);
  std::uint8_t* const rows[] = {state.colours.data};
  const int row_bytes[] = {static_cast<int>(state.colours.step[0])};
  sws_scale(state.converter.get(), frame.data, frame.linesize, 0, frame.height, rows, row_bytes);
  const cv::Mat* shown = &state.colours;
  if (state.turns > 0) {
    cv::rotate(state.colours, state.upright,
               state.turns - 1);  // OpenCV codes: 90, 180, 270 degrees
    shown = &state.upright;
  }
  const PictureSize wanted = size_with_short_side(size(), format.short_side);
  if (shown->cols != wanted.width || shown->rows != wanted.height) {
    resize_into(*shown, wanted, &state.small);
    shown = &state.small;
  }
  take_picture(*shown, format.colour, image);
}

PictureSize VideoFile::size() const {
  const AVCodecParameters& parameters = *state_->stream->codecpar;
  if (state_->turns % 2 == 1) return {parameters.height, parameters.width};
  return {parameters.width, parameters.height};
}

double VideoFile::frame_rate() const {
  const AVRational rate = av_guess_frame_rate(state_->file.get(), state_->stream, nullptr);
  return rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
}

double VideoFile::announced_duration() const {
  const State& state = *state_;
  if (state.stream->duration > 0) {
    return static_cast<double>(state.stream->duration) * av_q2d(state.stream->time_base);
  }
  return state.file->duration > 0 ? static_cast<double>(state.file->duration) / AV_TIME_BASE : 0;
}

std::int64_t VideoFile::announced_frames() const {
  if (state_->stream->nb_frames > 0) return state_->stream->nb_frames;
  return std::llround(announced_duration() * frame_rate());
}

}  // namespace manyverbs
