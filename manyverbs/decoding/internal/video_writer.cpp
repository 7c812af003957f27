// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/video_writer.h"

#include <cassert>

#include "manyverbs/decoding/internal/ffmpeg.h"
#include "manyverbs/support/error.h"

namespace manyverbs {

struct VideoWriter::State {
  std::filesystem::path path;
  Owned<AVFormatContext, avformat_free_context> file;
  Owned<AVCodecContext, free_codec> encoder;
  Owned<AVPacket, free_packet> packet{av_packet_alloc()};
  Owned<AVFrame, free_frame> frame{av_frame_alloc()};
  Owned<SwsContext, sws_freeContext> converter;
  AVStream* stream = nullptr;
  std::int64_t next_time = -1;

  ~State() {
    if (!file || file->pb == nullptr) return;  // not opened, or complete
    avio_closep(&file->pb);
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  void check(int code) const {
    if (code < 0) throw Error("{}: cannot be written: {}", path.string(), ffmpeg_reason(code));
  }
  void open_encoder(const VideoFormat& format);
  void open_file(bool fast_start);
  void prepare_frame();
  void drain();
};

void VideoWriter::State::open_encoder(const VideoFormat& format) {
  const AVCodec* codec = avcodec_find_encoder_by_name(format.codec.c_str());
  if (codec == nullptr)
    throw Error("{}: the encoder '{}' does not exist", path.string(), format.codec);
  AVFormatContext* made = nullptr;
  check(avformat_alloc_output_context2(&made, nullptr, nullptr, path.c_str()));
  file.reset(made);
  encoder.reset(avcodec_alloc_context3(codec));
  encoder->width = format.size.width;
  encoder->height = format.size.height;
  encoder->time_base = {1, format.frame_rate};
  encoder->framerate = {format.frame_rate, 1};
  encoder->gop_size = format.key_frames;
  encoder->pix_fmt = codec->id == AV_CODEC_ID_MJPEG ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
  encoder->thread_count = 1;
  // Sufficient quality for viewing and training; libx264 uses its own scale instead.
  encoder->flags |= AV_CODEC_FLAG_QSCALE;
  encoder->global_quality = 3 * FF_QP2LAMBDA;
  if ((file->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
    encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  }
  AVDictionary* options = nullptr;
  // Otherwise the output of x264 depends on the processor and, with AVX-512, varies between calls.
  if (format.codec == "libx264") av_dict_set(&options, "x264-params", "cpu-independent=1", 0);
  const int opened = avcodec_open2(encoder.get(), codec, &options);
  av_dict_free(&options);
  check(opened);
}

void VideoWriter::State::open_file(bool fast_start) {
  stream = avformat_new_stream(file.get(), nullptr);
  stream->time_base = encoder->time_base;
  stream->avg_frame_rate = encoder->framerate;
  check(avcodec_parameters_from_context(stream->codecpar, encoder.get()));
  check(avio_open(&file->pb, ("file:" + path.string()).c_str(), AVIO_FLAG_WRITE));
  AVDictionary* options = nullptr;
  if (fast_start) av_dict_set(&options, "movflags", "+faststart", 0);
  const int written = avformat_write_header(file.get(), &options);
  av_dict_free(&options);
  check(written);
}

void VideoWriter::State::prepare_frame() {
  frame->format = encoder->pix_fmt;
  frame->width = encoder->width;
  frame->height = encoder->height;
  frame->quality = encoder->global_quality;
  check(av_frame_get_buffer(frame.get(), 0));
  converter.reset(sws_getContext(encoder->width, encoder->height, AV_PIX_FMT_RGB24, encoder->width,
                                 encoder->height, encoder->pix_fmt, SWS_BICUBIC, nullptr, nullptr,
                                 nullptr));
  if (converter == nullptr) throw Error("{}: cannot be encoded", path.string());
}

// Writes the packets that the encoder has finished.
void VideoWriter::State::drain() {
  while (avcodec_receive_packet(encoder.get(), packet.get()) == 0) {
    packet->stream_index = stream->index;
    av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
    check(av_interleaved_write_frame(file.get(), packet.get()));
  }
}

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoFormat& format)
    : state_(std::make_unique<State>()) {
  silence_ffmpeg();
  state_->path = path;
  state_->open_encoder(format);
  state_->open_file(format.fast_start);
  state_->prepare_frame();
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::write(const Image& image, int frames_later) {
  State& state = *state_;
  assert(image.channels == 3 && image.width == state.encoder->width &&
         image.height == state.encoder->height);
  state.check(av_frame_make_writable(state.frame.get()));
  const std::uint8_t* const rows[] = {image.pixels.data()};
  const int row_bytes[] = {3 * image.width};
  sws_scale(state.converter.get(), rows, row_bytes, 0, image.height, state.frame->data,
            state.frame->linesize);
  state.next_time += frames_later;
  state.frame->pts = state.next_time;
  state.check(avcodec_send_frame(state.encoder.get(), state.frame.get()));
  state.drain();
}

void VideoWriter::commit() {
  State& state = *state_;
  state.check(avcodec_send_frame(state.encoder.get(), nullptr));
  state.drain();
  state.check(av_write_trailer(state.file.get()));
  state.check(avio_closep(&state.file->pb));
}

}  // namespace manyverbs
