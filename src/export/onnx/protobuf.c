#include "export/onnx/protobuf.h"

#include <string.h>

// Just what onnx.proto needs of the wire format of Protocol Buffers: a message is a list of fields, each with a key of
// its number and its type. Nothing is read.
enum
{
    VARINT = 0,
    LENGTH = 2,
    FIXED32 = 5
};

// A whole number has seven bits in each byte, the lowest first; all bytes but the last have the highest bit set.
static void add_varint(sac_growing *message, uint64_t value)
{
    uint8_t bytes[10];
    size_t count = 0;
    do bytes[count++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
    while (value >>= 7);
    sac_grow(message, bytes, count);
}

static void add_key(sac_growing *message, int field, int type)
{
    add_varint(message, (uint64_t)field << 3 | (uint64_t)type);
}

void sac_proto_int(sac_growing *message, int field, int64_t value)
{
    add_key(message, field, VARINT);
    add_varint(message, (uint64_t)value);
}

void sac_proto_float(sac_growing *message, int field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    add_key(message, field, FIXED32);
    sac_grow(message, bytes, sizeof bytes);
}

void sac_proto_bytes(sac_growing *message, int field, const void *bytes, size_t size)
{
    add_key(message, field, LENGTH);
    add_varint(message, size);
    sac_grow(message, bytes, size);
}

void sac_proto_text(sac_growing *message, int field, const char *text)
{
    sac_proto_bytes(message, field, text, strlen(text));
}

// A message within a message is bytes with their length before them, which is why the inner one is finished first.
void sac_proto_message(sac_growing *message, int field, sac_growing *inner)
{
    sac_proto_bytes(message, field, inner->bytes, inner->size);
    message->failed |= inner->failed;
    sac_grow_clear(inner);
}
