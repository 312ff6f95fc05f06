#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

#include "files/pictures/film_module.h"

/// saccade-film.so writes and reads films through FFmpeg. It uses one thread, so the same frames give the same bytes.

__attribute__((format(printf, 3, 4))) static int fail(char *error, int code, const char *format, ...)
{
    char text[SAC_FILM_ERROR_SIZE], reason[AV_ERROR_MAX_STRING_SIZE] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (code) av_strerror(code, reason, sizeof reason);
    snprintf(error, SAC_FILM_ERROR_SIZE, "%.180s%s%.60s", text, code ? ": " : "", reason);
    return -1;
}

// ---- writing

typedef struct writer
{
    AVFormatContext *format;
    AVCodecContext *codec;
    AVStream *stream;
    struct SwsContext *scaler;
    AVFrame *frame;
    AVPacket *packet;
    int64_t count;
} writer;

static void writer_free(writer *w)
{
    sws_freeContext(w->scaler);
    av_packet_free(&w->packet);
    av_frame_free(&w->frame);
    avcodec_free_context(&w->codec);
    if (w->format)
    {
        avio_closep(&w->format->pb);
        avformat_free_context(w->format);
    }
    free(w);
}

static int open_encoder(writer *w, int width, int height, int frames_per_second, char *error)
{
    const AVCodec *encoder = avcodec_find_encoder_by_name("libx264");
    if (!encoder) encoder = avcodec_find_encoder(AV_CODEC_ID_H264);
    for (int attempt = 0; attempt < 2; attempt++)
    {
        if (encoder)
        {
            AVCodecContext *c = w->codec = avcodec_alloc_context3(encoder);
            if (!c) return fail(error, AVERROR(ENOMEM), "film");
            c->width = width;
            c->height = height;
            c->pix_fmt = AV_PIX_FMT_YUV420P;
            c->time_base = (AVRational){1, frames_per_second};
            c->framerate = (AVRational){frames_per_second, 1};
            c->gop_size = 2 * frames_per_second;
            c->thread_count = 1;
            c->color_range = AVCOL_RANGE_MPEG;
            c->colorspace = AVCOL_SPC_BT709;
            c->color_primaries = AVCOL_PRI_BT709;
            c->color_trc = AVCOL_TRC_BT709;
            c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
            if (encoder->id == AV_CODEC_ID_MPEG4)
            {
                c->flags |= AV_CODEC_FLAG_QSCALE;
                c->global_quality = 3 * FF_QP2LAMBDA;
            }
            av_opt_set(c->priv_data, "preset", "veryfast", 0);
            av_opt_set(c->priv_data, "crf", "18", 0);
            if (avcodec_open2(c, encoder, NULL) == 0) return 0;
            avcodec_free_context(&w->codec);
        }
        encoder = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    }
    return fail(error, 0, "this FFmpeg has neither an H.264 nor an MPEG-4 encoder that takes %d x %d", width, height);
}

static int open_output(writer *w, const char *path, char *error)
{
    int code = avformat_alloc_output_context2(&w->format, NULL, "mp4", path);
    if (code < 0) return fail(error, code, "%.100s", path);
    w->format->flags |= AVFMT_FLAG_BITEXACT;
    w->stream = avformat_new_stream(w->format, NULL);
    if (!w->stream) return fail(error, AVERROR(ENOMEM), "film");
    w->stream->time_base = w->codec->time_base;
    w->stream->avg_frame_rate = w->codec->framerate;
    avcodec_parameters_from_context(w->stream->codecpar, w->codec);
    if ((code = avio_open(&w->format->pb, path, AVIO_FLAG_WRITE)) < 0) return fail(error, code, "%.100s", path);
    AVDictionary *options = NULL;
    av_dict_set(&options, "movflags", "+faststart", 0);
    code = avformat_write_header(w->format, &options);
    av_dict_free(&options);
    return code < 0 ? fail(error, code, "%.100s", path) : 0;
}

static int open_buffers(writer *w, char *error)
{
    w->frame = av_frame_alloc();
    w->packet = av_packet_alloc();
    if (!w->frame || !w->packet) return fail(error, AVERROR(ENOMEM), "film");
    w->frame->format = w->codec->pix_fmt;
    w->frame->width = w->codec->width;
    w->frame->height = w->codec->height;
    int code = av_frame_get_buffer(w->frame, 0);
    if (code < 0) return fail(error, code, "film");
    int width = w->codec->width, height = w->codec->height;
    w->scaler = sws_getContext(width, height, AV_PIX_FMT_RGB24, width, height, w->codec->pix_fmt,
                               SWS_BICUBIC | SWS_BITEXACT | SWS_ACCURATE_RND, NULL, NULL, NULL);
    if (!w->scaler) return fail(error, 0, "film: no conversion from RGB for %d x %d", width, height);
    const int *matrix = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(w->scaler, matrix, 1, matrix, 0, 0, 1 << 16, 1 << 16);
    return 0;
}

static void *film_create(const char *path, int width, int height, int frames_per_second, char *error)
{
    av_log_set_level(AV_LOG_QUIET);
    writer *w = calloc(1, sizeof *w);
    if (!w)
    {
        fail(error, AVERROR(ENOMEM), "film");
        return NULL;
    }
    if (open_encoder(w, width, height, frames_per_second, error) < 0 || open_output(w, path, error) < 0 ||
        open_buffers(w, error) < 0)
    {
        writer_free(w);
        return NULL;
    }
    return w;
}

// Hand a frame (NULL: the end) to the encoder and write the packets that it returns.
static int encode(writer *w, const AVFrame *frame, char *error)
{
    int code = avcodec_send_frame(w->codec, frame);
    while (code >= 0)
    {
        code = avcodec_receive_packet(w->codec, w->packet);
        if (code < 0) break;
        w->packet->duration = 1;
        av_packet_rescale_ts(w->packet, w->codec->time_base, w->stream->time_base);
        w->packet->stream_index = w->stream->index;
        code = av_interleaved_write_frame(w->format, w->packet);
    }
    return code == AVERROR(EAGAIN) || code == AVERROR_EOF ? 0 : fail(error, code, "film");
}

static int film_add(void *film, const uint8_t *rgb, char *error)
{
    writer *w = film;
    int code = av_frame_make_writable(w->frame), stride = 3 * w->codec->width;
    if (code < 0) return fail(error, code, "film");
    sws_scale(w->scaler, &rgb, &stride, 0, w->codec->height, w->frame->data, w->frame->linesize);
    w->frame->pts = w->count++;
    return encode(w, w->frame, error);
}

static int film_finish(void *film, int complete, char *error)
{
    writer *w = film;
    int result = complete ? encode(w, NULL, error) : 0;
    if (complete && result == 0)
    {
        int code = av_write_trailer(w->format);
        avio_flush(w->format->pb);
        if (code >= 0) code = w->format->pb->error;
        if (code < 0) result = fail(error, code, "film");
    }
    writer_free(w);
    return result;
}

// ---- reading

typedef struct reader
{
    AVFormatContext *format;
    AVCodecContext *codec;
    struct SwsContext *scaler;
    AVFrame *frame;
    AVPacket *packet;
    int stream, width, height;
    uint8_t *rows; // swscale may write a little past the end of a row
    int stride;
} reader;

static void film_close(void *source)
{
    reader *r = source;
    if (!r) return;
    sws_freeContext(r->scaler);
    av_packet_free(&r->packet);
    av_frame_free(&r->frame);
    avcodec_free_context(&r->codec);
    avformat_close_input(&r->format);
    av_free(r->rows);
    free(r);
}

static int open_source(reader *r, const char *path, char *error)
{
    // Only files are opened: a name or a playlist never opens a network connection.
    char url[4096];
    snprintf(url, sizeof url, "file:%s", path);
    AVDictionary *options = NULL;
    av_dict_set(&options, "protocol_whitelist", "file", 0);
    int code = avformat_open_input(&r->format, url, NULL, &options);
    av_dict_free(&options);
    if (code < 0) return fail(error, code, "%.120s cannot be read as a video", path);
    if ((code = avformat_find_stream_info(r->format, NULL)) < 0) return fail(error, code, "%.120s", path);
    const AVCodec *decoder = NULL;
    r->stream = av_find_best_stream(r->format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (r->stream < 0 || !decoder) return fail(error, 0, "%.120s holds no video that can be decoded", path);
    r->codec = avcodec_alloc_context3(decoder);
    r->frame = av_frame_alloc();
    r->packet = av_packet_alloc();
    if (!r->codec || !r->frame || !r->packet) return fail(error, AVERROR(ENOMEM), "film");
    avcodec_parameters_to_context(r->codec, r->format->streams[r->stream]->codecpar);
    r->codec->thread_count = 1;
    if ((code = avcodec_open2(r->codec, decoder, NULL)) < 0) return fail(error, code, "%.120s", path);
    if (r->codec->width <= 0 || r->codec->height <= 0) return fail(error, 0, "%.120s has no picture size", path);
    return 0;
}

static void *film_open(const char *path, int *width, int *height, char *error)
{
    av_log_set_level(AV_LOG_QUIET);
    reader *r = calloc(1, sizeof *r);
    if (!r)
    {
        fail(error, AVERROR(ENOMEM), "film");
        return NULL;
    }
    if (open_source(r, path, error) < 0)
    {
        film_close(r);
        return NULL;
    }
    if (*width == 0 && *height == 0)
    {
        *width = r->codec->width;
        *height = r->codec->height;
    }
    r->width = *width;
    r->height = *height;
    r->stride = (3 * r->width + 63) / 64 * 64 + 64;
    r->rows = av_malloc_array((size_t)r->height + 1, (size_t)r->stride);
    if (!r->rows)
    {
        fail(error, AVERROR(ENOMEM), "film");
        film_close(r);
        return NULL;
    }
    return r;
}

static int convert(reader *r, uint8_t *rgb, char *error)
{
    const AVFrame *f = r->frame;
    r->scaler = sws_getCachedContext(r->scaler, f->width, f->height, f->format, r->width, r->height, AV_PIX_FMT_RGB24,
                                     SWS_AREA | SWS_BITEXACT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (!r->scaler) return fail(error, 0, "film: no conversion to RGB for %d x %d", f->width, f->height);
    int standard = f->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_DEFAULT;
    const int *matrix = sws_getCoefficients(standard);
    sws_setColorspaceDetails(r->scaler, matrix, f->color_range == AVCOL_RANGE_JPEG, matrix, 1, 0, 1 << 16, 1 << 16);
    sws_scale(r->scaler, (const uint8_t *const *)f->data, f->linesize, 0, f->height, &r->rows, &r->stride);
    size_t row = 3 * (size_t)r->width;
    for (int y = 0; y < r->height; y++) memcpy(rgb + (size_t)y * row, r->rows + (size_t)y * (size_t)r->stride, row);
    return 1;
}

static int film_next(void *source, uint8_t *rgb, char *error)
{
    reader *r = source;
    for (;;)
    {
        int code = avcodec_receive_frame(r->codec, r->frame);
        if (code == 0) return convert(r, rgb, error);
        if (code == AVERROR_EOF) return 0;
        if (code != AVERROR(EAGAIN)) return fail(error, code, "film");
        code = av_read_frame(r->format, r->packet);
        if (code < 0)
        {
            if (code != AVERROR_EOF) return fail(error, code, "film");
            // an empty packet makes the decoder return the frames that it still holds
            avcodec_send_packet(r->codec, NULL);
            continue;
        }
        // A damaged packet is skipped, and what can be decoded is shown.
        if (r->packet->stream_index == r->stream) (void)avcodec_send_packet(r->codec, r->packet);
        av_packet_unref(r->packet);
    }
}

__attribute__((visibility("default"))) extern const sac_film_calls sac_film_module;

const sac_film_calls sac_film_module = {
    .create = film_create,
    .add = film_add,
    .finish = film_finish,
    .open = film_open,
    .next = film_next,
    .close = film_close,
};
