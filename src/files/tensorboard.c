#include "files/tensorboard.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "files/append.h"
#include "files/atomic.h"
#include "files/checksum.h"

// A record is its length, the length's masked checksum, the data, the data's masked checksum (TFRecord). The data is a
// protobuf Event: 1 wall_time (double), 2 step (varint), 3 file_version (text), 5 summary; a Summary holds 1 value; a
// Value 1 tag (text), 2 simple_value (float), 8 tensor, 9 metadata. The metadata of a session holds 1 plugin_data: 1
// plugin_name (text), 2 content (HParamsPluginData: 3 session_start_info, 4 session_end_info). A SessionStartInfo holds
// 1 hparams (a map), 5 start_time_secs (double); a SessionEndInfo 1 status, 2 end_time_secs (double).

enum
{
    TAG_LIMIT = 255,
    EVENT_SIZE = 512,
    SMALL = 64 // more than a field's own bytes, and a message of numbers alone
};
enum
{
    VARINT = 0,
    FIXED64 = 1,
    BYTES = 2,
    FIXED32 = 5
};

/// A protobuf message under construction; whoever begins one makes room for all that it gets.
typedef struct message
{
    uint8_t *bytes;
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
    uint64_t length = m->size;
    uint32_t length_crc = masked_crc(&length, sizeof length), data_crc = masked_crc(m->bytes, m->size);
    SAC_TRY(sac_append_bytes(file_of(events), &length, sizeof length));
    SAC_TRY(sac_append_bytes(file_of(events), &length_crc, sizeof length_crc));
    SAC_TRY(sac_append_bytes(file_of(events), m->bytes, m->size));
    return sac_append_bytes(file_of(events), &data_crc, sizeof data_crc);
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
        uint8_t bytes[SMALL];
        message m = {.bytes = bytes};
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
    uint8_t bytes[3][EVENT_SIZE];
    message inner = {.bytes = bytes[0]}, summary = {.bytes = bytes[1]}, event = {.bytes = bytes[2]};
    put_bytes(&inner, 1, tag, length);
    put_fixed(&inner, 2, &number, 4);
    put_bytes(&summary, 1, inner.bytes, inner.size);
    put_fixed(&event, 1, &seconds, 8);
    put_field(&event, 2, VARINT);
    put_varint(&event, step);
    put_bytes(&event, 5, summary.bytes, summary.size);
    return add_record(events, &event);
}

// --- sessions of the HPARAMS tab --------------------------------------------------------------------------------

// A google.protobuf.Value: 2 number_value (double), 3 string_value, 4 bool_value.
static void put_value(message *m, const char *text)
{
    double number;
    bool yes = strcmp(text, "true") == 0;
    if (yes || strcmp(text, "false") == 0)
    {
        put_field(m, 4, VARINT);
        put_varint(m, yes);
    }
    else if (sac_parse_real(text, &number))
        put_fixed(m, 2, &number, 8);
    else
        put_bytes(m, 3, text, strlen(text));
}

// An entry of the map: 1 key, 2 value.
static void put_setting(message *m, const sac_setting *setting)
{
    uint8_t bytes[2][2 * SAC_TEXT_SIZE + SMALL];
    message entry = {.bytes = bytes[0]}, value = {.bytes = bytes[1]};
    put_value(&value, setting->value);
    put_bytes(&entry, 1, setting->key, strlen(setting->key));
    put_bytes(&entry, 2, value.bytes, value.size);
    put_bytes(m, 1, entry.bytes, entry.size);
}

// Wrap what the plugin is told, message `number` of its content, into an event. A reader wants a tensor beside it, and
// an empty one will do: 1 dtype (1: float), 2 shape with one dimension of size 0.
static sac_status add_session(sac_events *events, const char *tag, unsigned number, const message *told, double seconds)
{
    static const uint8_t empty[] = {0x08, 1, 0x12, 2, 0x12, 0};
    size_t room = told->size + 4 * SMALL;
    uint8_t *memory = sac_alloc_array(3, room);
    if (!memory) return sac_fail_memory("TensorBoard's hyper-parameters");
    message a = {.bytes = memory}, b = {.bytes = memory + room}, c = {.bytes = memory + 2 * room};
    put_bytes(&a, number, told->bytes, told->size);
    put_bytes(&b, 1, "hparams", 7);
    put_bytes(&b, 2, a.bytes, a.size);
    a.size = 0;
    put_bytes(&a, 1, b.bytes, b.size);
    b.size = 0;
    put_bytes(&b, 1, tag, strlen(tag));
    put_bytes(&b, 8, empty, sizeof empty);
    put_bytes(&b, 9, a.bytes, a.size);
    a.size = 0;
    put_bytes(&a, 1, b.bytes, b.size);
    put_fixed(&c, 1, &seconds, 8);
    put_bytes(&c, 5, a.bytes, a.size);
    sac_status status = add_record(events, &c);
    sac_free(memory);
    return status;
}

sac_status sac_events_begin_session(sac_events *events, const sac_setting *settings, int count, double seconds)
{
    size_t room = SMALL;
    for (int i = 0; i < count; i++)
    {
        size_t key = strlen(settings[i].key), value = strlen(settings[i].value);
        if (key >= SAC_TEXT_SIZE || value >= SAC_TEXT_SIZE)
            return sac_fail(SAC_ERROR_ARGUMENT, "a setting of %zu bytes, expected at most %d",
                            key > value ? key : value, SAC_TEXT_SIZE - 1);
        room += key + value + SMALL;
    }
    message told = {.bytes = sac_alloc(room)};
    if (!told.bytes) return sac_fail_memory("TensorBoard's hyper-parameters");
    for (int i = 0; i < count; i++) put_setting(&told, &settings[i]);
    put_fixed(&told, 5, &seconds, 8);
    sac_status status = add_session(events, "_hparams_/session_start_info", 3, &told, seconds);
    sac_free(told.bytes);
    return status;
}

sac_status sac_events_end_session(sac_events *events, bool succeeded, double seconds)
{
    uint8_t bytes[SMALL];
    message told = {.bytes = bytes};
    put_field(&told, 1, VARINT);
    put_varint(&told, succeeded ? 1 : 2); // success, failure
    put_fixed(&told, 2, &seconds, 8);
    return add_session(events, "_hparams_/session_end_info", 4, &told, seconds);
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
