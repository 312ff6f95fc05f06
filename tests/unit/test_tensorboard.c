#include "base/memory.h"
#include "files/atomic.h"
#include "files/checksum.h"
#include "files/tensorboard.h"

#include "failing_memory.h"
#include "scratch.h"

static uint8_t *load(size_t *size)
{
    uint8_t *bytes;
    assert_ok(sac_read_file(&bytes, size, scratch_path("events.out.tfevents.saccade"), 1 << 20));
    return bytes;
}

static uint32_t masked(const void *bytes, size_t size)
{
    uint32_t crc = sac_crc32c(0, bytes, size);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

// one record of TFRecord framing; returns its data
static const uint8_t *next_record(const uint8_t **at, const uint8_t *end, size_t *size)
{
    uint64_t length;
    uint32_t crc;
    assert_true(end - *at >= 16);
    memcpy(&length, *at, 8);
    memcpy(&crc, *at + 8, 4);
    assert_int_equal(crc, masked(*at, 8));
    assert_true(length <= (uint64_t)(end - *at) - 16);
    const uint8_t *data = *at + 12;
    memcpy(&crc, data + length, 4);
    assert_int_equal(crc, masked(data, length));
    *at = data + length + 4;
    *size = length;
    return data;
}

// the very bytes that TensorFlow writes for these events
TEST(events_are_the_documented_bytes)
{
    scratch_open();
    sac_events *events;
    assert_ok(sac_events_open(&events, scratch, 0, 1.5));
    assert_ok(sac_events_scalar(events, "a/b", -2.0, 300, 0.25));
    assert_ok(sac_events_close(events));

    static const uint8_t version[] = "\x09\0\0\0\0\0\0\xf8\x3f\x1a\x0d"
                                     "brain.Event:2";
    static const uint8_t scalar[] = "\x09\0\0\0\0\0\0\xd0\x3f\x10\xac\x02\x2a\x0c\x0a\x0a\x0a\x03"
                                    "a/b\x15\0\0\0\xc0";
    size_t size, length;
    uint8_t *bytes = load(&size);
    const uint8_t *at = bytes, *data = next_record(&at, bytes + size, &length);
    assert_int_equal(length, sizeof version - 1);
    assert_memory_equal(data, version, length);
    data = next_record(&at, bytes + size, &length);
    assert_int_equal(length, sizeof scalar - 1);
    assert_memory_equal(data, scalar, length);
    assert_ptr_equal(at, bytes + size);
    sac_free(bytes);
}

// the very bytes that TensorBoard's summary_v2.hparams writes for these settings, and the end of the session
TEST(sessions_are_the_documented_bytes)
{
    scratch_open();
    sac_events *events;
    const sac_setting settings[] = {{"a", "1.5"}, {"b", "true"}, {"c", "x1"}};
    assert_ok(sac_events_open(&events, scratch, 0, 1.5));
    assert_ok(sac_events_begin_session(events, settings, 3, 2));
    assert_ok(sac_events_end_session(events, true, 2));
    assert_ok(sac_events_close(events));

#define TWO "\0\0\0\0\0\0\0\x40"
    static const uint8_t begin[] = "\x09" TWO "\x2a\x66\x0a\x64\x0a\x1c"
                                   "_hparams_/session_start_info\x42\x06\x08\x01\x12\x02\x12\0\x4a\x3c\x0a\x3a\x0a\x07"
                                   "hparams\x12\x2f\x1a\x2d"
                                   "\x0a\x0e\x0a\x01"
                                   "a\x12\x09\x11\0\0\0\0\0\0\xf8\x3f"
                                   "\x0a\x07\x0a\x01"
                                   "b\x12\x02\x20\x01"
                                   "\x0a\x09\x0a\x01"
                                   "c\x12\x04\x1a\x02x1\x29" TWO;
    size_t size, length;
    uint8_t *bytes = load(&size);
    const uint8_t *at = bytes;
    (void)next_record(&at, bytes + size, &length);
    const uint8_t *data = next_record(&at, bytes + size, &length);
    assert_int_equal(length, sizeof begin - 1);
    assert_memory_equal(data, begin, length);
    data = next_record(&at, bytes + size, &length);
    static const uint8_t end[] = "\x22\x0b\x08\x01\x11" TWO;
    assert_memory_equal(data + length - (sizeof end - 1), end, sizeof end - 1);
    assert_ptr_equal(at, bytes + size);
    sac_free(bytes);
}

TEST(a_resumed_run_writes_the_same_file)
{
    scratch_open();
    sac_events *events;
    assert_ok(sac_events_open(&events, scratch, 0, 1));
    for (uint64_t i = 0; i < 20; i++) assert_ok(sac_events_scalar(events, "x", (double)i, i << 40, 2));
    assert_ok(sac_events_close(events));
    size_t size, again;
    uint8_t *whole = load(&size), *resumed;

    assert_ok(sac_events_open(&events, scratch, 0, 1));
    uint64_t keep = 0;
    for (uint64_t i = 0; i < 15; i++)
    {
        if (i == 10)
        {
            assert_ok(sac_events_flush(events));
            keep = sac_events_size(events);
        }
        assert_ok(sac_events_scalar(events, "x", (double)i, i << 40, 2));
    }
    assert_ok(sac_events_close(events));
    assert_ok(sac_events_open(&events, scratch, keep, 9));
    for (uint64_t i = 10; i < 20; i++) assert_ok(sac_events_scalar(events, "x", (double)i, i << 40, 2));
    assert_ok(sac_events_close(events));

    resumed = load(&again);
    assert_int_equal(again, size);
    assert_memory_equal(resumed, whole, size);
    sac_free(whole);
    sac_free(resumed);
}

TEST(failures)
{
    scratch_open();
    sac_events *events;
    assert_survives_lack_of_memory(sac_events_open(&events, scratch, 0, 1), sac_events_close(events));
    assert_fails(sac_events_open(&events, scratch_path("none"), 0, 1), SAC_ERROR_FILE, "cannot be opened");
    assert_null(events);
    char tag[257];
    memset(tag, 'x', sizeof tag);
    tag[256] = 0;
    assert_ok(sac_events_open(&events, scratch, 0, 1));
    assert_fails(sac_events_scalar(events, tag, 1, 1, 1), SAC_ERROR_ARGUMENT, "256 bytes, expected at most 255");
    assert_ok(sac_events_scalar(events, tag + 1, 1, UINT64_MAX, 1));
    assert_fails(sac_events_begin_session(events, &(sac_setting){"a", tag}, 1, 1), SAC_ERROR_ARGUMENT,
                 "a setting of 256");
    assert_ok(sac_events_begin_session(events, &(sac_setting){tag + 1, tag + 1}, 1, 1));
    assert_survives_lack_of_memory(sac_events_begin_session(events, &(sac_setting){"a", "b"}, 1, 1), (void)0);
    assert_ok(sac_events_close(events));
    assert_ok(sac_events_close(NULL));
}

TESTS(events_are_the_documented_bytes, sessions_are_the_documented_bytes, a_resumed_run_writes_the_same_file, failures)
