#include "files/tensorboard.h"

#include <string.h>

#include "base/error.h"
#include "files/append.h"
#include "files/atomic.h"
#include "files/checksum.h"

// A record is its length, the length's masked checksum, the data, the data's masked checksum (TFRecord). The data is a
// protobuf Event: 1 wall_time (double), 2 step (varint), 3 file_version (text), 5 summary; a Summary holds 1 value; a
// Value 1 tag (text), 2 simple_value (float).

enum
{
    TAG_LIMIT = 255,
    EVENT_SIZE = 512
};
enum
{
    VARINT = 0,
    FIXED64 = 1,
    BYTES = 2,
    FIXED32 = 5
};

/// A protobuf message under construction.
typedef struct message
{
    uint8_t bytes[EVENT_SIZE];
    size_t size;
} message;

static void put_varint(message *m, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) m->bytes[m->size++] = (uint8_t)(value | 0x80);
    m->bytes[m->size++] = (uint8_t)value;
}

static void put_field(message *m, unsigned number, unsigned kind)
{
    put_varint(m, number << 3 | kind);
}

static void put_fixed(message *m, unsigned number, const void *value, size_t size)
{
    put_field(m, number, size == 8 ? FIXED64 : FIXED32);
    memcpy(m->bytes + m->size, value, size);
    m->size += size;
}

static void put_bytes(message *m, unsigned number, const void *bytes, size_t size)
{
    put_field(m, number, BYTES);
    put_varint(m, size);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static uint32_t masked_crc(const void *bytes, size_t size)
{
    uint32_t crc = sac_crc32c(0, bytes, size);
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

static sac_append *file_of(sac_events *events)
{
    return (sac_append *)events;
}

static sac_status add_record(sac_events *events, const message *m)
{
    uint8_t record[EVENT_SIZE + 16];
    uint64_t length = m->size;
    uint32_t length_crc = masked_crc(&length, sizeof length), data_crc = masked_crc(m->bytes, m->size);
    memcpy(record, &length, 8);
    memcpy(record + 8, &length_crc, 4);
    memcpy(record + 12, m->bytes, m->size);
    memcpy(record + 12 + m->size, &data_crc, 4);
    return sac_append_bytes(file_of(events), record, m->size + 16);
}

sac_status sac_events_open(sac_events **out, const char *folder, uint64_t keep, double seconds)
{
    *out = NULL;
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, folder, "events.out.tfevents.saccade"));
    sac_append *file;
    SAC_TRY(sac_append_open(&file, path, keep));
    sac_events *events = (sac_events *)file;
    if (keep == 0)
    {
        message m = {.size = 0};
        put_fixed(&m, 1, &seconds, 8);
        put_bytes(&m, 3, "brain.Event:2", 13);
        sac_status status = add_record(events, &m);
        if (status != SAC_OK)
        {
            sac_append_close(file);
            return status;
        }
    }
    *out = events;
    return SAC_OK;
}

sac_status sac_events_scalar(sac_events *events, const char *tag, double value, uint64_t step, double seconds)
{
    size_t length = strlen(tag);
    if (length > TAG_LIMIT) return sac_fail(SAC_ERROR_ARGUMENT, "a tag of %zu bytes, expected at most 255", length);
    float number = (float)value;
    message inner = {.size = 0}, summary = {.size = 0}, event = {.size = 0};
    put_bytes(&inner, 1, tag, length);
    put_fixed(&inner, 2, &number, 4);
    put_bytes(&summary, 1, inner.bytes, inner.size);
    put_fixed(&event, 1, &seconds, 8);
    put_field(&event, 2, VARINT);
    put_varint(&event, step);
    put_bytes(&event, 5, summary.bytes, summary.size);
    return add_record(events, &event);
}

sac_status sac_events_flush(sac_events *events)
{
    return sac_append_flush(file_of(events));
}

uint64_t sac_events_size(const sac_events *events)
{
    return sac_append_size((const sac_append *)events);
}

sac_status sac_events_close(sac_events *events)
{
    return sac_append_close(file_of(events));
}
