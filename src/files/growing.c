#include "files/growing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "files/atomic.h"

static bool make_room(sac_growing *text, size_t size)
{
    if (text->failed) return false;
    if (text->size + size <= text->room) return true;
    size_t room = 2 * (text->size + size) + 4096;
    char *bytes = sac_alloc(room);
    text->failed = !bytes;
    if (!bytes) return false;
    if (text->size > 0) memcpy(bytes, text->bytes, text->size);
    sac_free(text->bytes);
    text->bytes = bytes;
    text->room = room;
    return true;
}

void sac_grow(sac_growing *text, const void *bytes, size_t size)
{
    if (size == 0 || !make_room(text, size)) return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

void sac_grow_text(sac_growing *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char line[4096];
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length > 0) sac_grow(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void sac_grow_base64(sac_growing *text, const uint8_t *bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3)
    {
        uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (i + 2 < size ? (uint32_t)bytes[i + 2] : 0);
        char four[4];
        for (int k = 0; k < 4; k++) four[k] = letters[three >> (18 - 6 * k) & 63];
        if (i + 1 >= size) four[2] = '=';
        if (i + 2 >= size) four[3] = '=';
        sac_grow(text, four, 4);
    }
}

sac_status sac_grow_into_file(sac_growing *text, const char *path, const char *what)
{
    sac_status status = text->failed ? sac_fail_memory(what) : sac_write_file(path, text->bytes, text->size);
    sac_grow_clear(text);
    return status;
}

void sac_grow_clear(sac_growing *text)
{
    sac_free(text->bytes);
    *text = (sac_growing){0};
}
