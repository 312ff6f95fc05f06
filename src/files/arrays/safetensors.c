#include "files/arrays/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/arrays/tensors.h"
#include "files/atomic.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors are little-endian");

enum
{
    LENGTH_SIZE = 8
};

/// An array of the header with its place in the data.
typedef struct placed
{
    sac_tensor tensor;
    uint64_t begin, end;
} placed;

#define FAIL(format, ...) sac_fail(SAC_ERROR_FORMAT, "%.400s: " format, __VA_ARGS__)

static sac_status fail_tensor(const char *where, const char *name, const char *what)
{
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: tensor '%.80s': %s", where, name, what);
}

static sac_status read_dtype(sac_tensor *tensor, const json_t *json, const char *where)
{
    const char *text = json_string_value(json);
    if (!text) return fail_tensor(where, tensor->name, "dtype is missing or no text");
    for (int i = 0; i <= SAC_I64; i++)
        if (strcmp(sac_dtype_name((sac_dtype)i), text) == 0)
        {
            tensor->dtype = (sac_dtype)i;
            return SAC_OK;
        }
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: tensor '%.80s': dtype is '%.20s', expected F32, F64, I32, I64 or U8",
                    where, tensor->name, text);
}

static sac_status read_shape(sac_tensor *tensor, const json_t *json, const char *where)
{
    size_t rank = json_array_size(json);
    if (!json_is_array(json) || rank > SAC_TENSOR_MAX_RANK)
        return fail_tensor(where, tensor->name, "shape is missing, no list, or of more than 8 numbers");
    tensor->rank = (int)rank;
    for (size_t i = 0; i < rank; i++)
    {
        const json_t *item = json_array_get(json, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return fail_tensor(where, tensor->name, "shape holds something else than whole numbers from 0");
        tensor->shape[i] = json_integer_value(item);
    }
    return SAC_OK;
}

static sac_status read_offsets(placed *item, const json_t *json, uint64_t data_size, const char *where)
{
    const json_t *begin = json_array_get(json, 0), *end = json_array_get(json, 1);
    if (json_array_size(json) != 2 || !json_is_integer(begin) || !json_is_integer(end))
        return fail_tensor(where, item->tensor.name, "data_offsets is missing or not two whole numbers");
    json_int_t first = json_integer_value(begin), last = json_integer_value(end);
    if (first < 0 || last < first || (uint64_t)last > data_size)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: tensor '%.80s': data_offsets are %lld and %lld, expected 0 <= begin <= end <= %" PRIu64
                        ", the size of the data",
                        where, item->tensor.name, (long long)first, (long long)last, data_size);
    item->begin = (uint64_t)first;
    item->end = (uint64_t)last;
    return SAC_OK;
}

static sac_status read_placed(placed *item, const char *name, const json_t *json, uint64_t data_size, const char *where)
{
    item->tensor.name = name;
    if (!json_is_object(json) || json_object_size(json) != 3)
        return fail_tensor(where, name, "expected an object of dtype, shape and data_offsets");
    SAC_TRY(read_dtype(&item->tensor, json_object_get(json, "dtype"), where));
    SAC_TRY(read_shape(&item->tensor, json_object_get(json, "shape"), where));
    SAC_TRY(read_offsets(item, json_object_get(json, "data_offsets"), data_size, where));
    size_t bytes;
    if (!sac_tensor_bytes(&item->tensor, &bytes)) return fail_tensor(where, name, "the shape's product overflows");
    if (bytes != item->end - item->begin)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: tensor '%.80s': the shape needs %zu bytes, data_offsets give %" PRIu64, where, name,
                        bytes, item->end - item->begin);
    return SAC_OK;
}

static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
    return p->end == q->end ? 0 : p->end < q->end ? -1 : 1;
}

// In the order of their places, each array must begin where the one before it ends, and the last must end with the
// data.
static sac_status check_places(placed *items, int count, uint64_t data_size, const char *where)
{
    uint64_t end = 0;
    qsort(items, (size_t)count, sizeof *items, by_place);
    for (int i = 0; i < count; i++)
    {
        if (items[i].begin != end)
            return fail_tensor(where, items[i].tensor.name,
                               items[i].begin > end ? "there is a hole before its data"
                                                    : "its data overlaps the tensor before it");
        end = items[i].end;
    }
    if (end != data_size)
        return FAIL("%" PRIu64 " bytes of data, expected %" PRIu64 ": bytes follow the last tensor", where, data_size,
                    end);
    return SAC_OK;
}

static sac_status read_metadata(sac_tensors *tensors, json_t *metadata)
{
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value)) return FAIL("metadata '%.80s' is no text", tensors->where, key);
        SAC_TRY(sac_tensors_add_metadata(tensors, key, json_string_value(value)));
    }
    return SAC_OK;
}

static sac_status read_tensors(sac_tensors *tensors, placed *items, json_t *header, const uint8_t *data,
                               uint64_t data_size)
{
    const char *name;
    json_t *json;
    int count = 0;
    json_object_foreach(header, name, json)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        SAC_TRY(read_placed(&items[count++], name, json, data_size, tensors->where));
    }
    SAC_TRY(check_places(items, count, data_size, tensors->where));
    for (int i = 0; i < count; i++)
    {
        items[i].tensor.data = data + items[i].begin;
        if (tensors->borrowed && (uintptr_t)items[i].tensor.data % sac_dtype_size(items[i].tensor.dtype) != 0)
            return fail_tensor(tensors->where, items[i].tensor.name,
                               "its data does not begin at a multiple of its element's size");
        SAC_TRY(sac_tensors_add(tensors, &items[i].tensor));
    }
    return SAC_OK;
}

static sac_status read_header(sac_tensors **out, json_t *header, const uint8_t *data, uint64_t data_size,
                              const char *where, bool borrowed)
{
    json_t *metadata = json_object_get(header, "__metadata__");
    if (metadata && !json_is_object(metadata)) return FAIL("__metadata__ is no object", where);
    int count = (int)json_object_size(header), metadata_count = (int)json_object_size(metadata);
    SAC_TRY(sac_tensors_create(out, where, count, metadata_count));
    (*out)->borrowed = borrowed;
    placed *items = SAC_NEW_ARRAY(placed, (size_t)count);
    sac_status status = items ? read_metadata(*out, metadata) : sac_fail_memory(where);
    if (status == SAC_OK) status = read_tensors(*out, items, header, data, data_size);
    sac_free(items);
    if (status == SAC_OK) return SAC_OK;
    sac_tensors_destroy(*out);
    *out = NULL;
    return status;
}

static sac_status read_file(sac_tensors **out, const void *bytes, size_t size, const char *where, bool borrowed)
{
    *out = NULL;
    const uint8_t *at = bytes;
    uint64_t length = 0;
    if (size < LENGTH_SIZE) return FAIL("%zu bytes, too short for a safetensors file", where, size);
    memcpy(&length, at, LENGTH_SIZE);
    if (size == LENGTH_SIZE || at[LENGTH_SIZE] != '{')
        return FAIL("no safetensors file: the header does not begin with '{'", where);
    if (length > SAC_TENSORS_HEADER_LIMIT || length > size - LENGTH_SIZE)
        return FAIL("the header's length is %" PRIu64 ", expected at most %zu", where, length,
                    size - LENGTH_SIZE < SAC_TENSORS_HEADER_LIMIT ? size - LENGTH_SIZE
                                                                  : (size_t)SAC_TENSORS_HEADER_LIMIT);
    if (length == 0) return FAIL("the header's length is 0", where);

    json_error_t error;
    json_t *header = json_loadb((const char *)at + LENGTH_SIZE, length, JSON_REJECT_DUPLICATES, &error);
    if (!header && json_error_code(&error) == json_error_out_of_memory) return sac_fail_memory(where);
    if (!header) return FAIL("header: %.160s at byte %d", where, error.text, error.position + LENGTH_SIZE);
    sac_status status =
        read_header(out, header, at + LENGTH_SIZE + length, size - LENGTH_SIZE - length, where, borrowed);
    json_decref(header);
    return status;
}

sac_status sac_tensors_read(sac_tensors **out, const void *bytes, size_t size, const char *where)
{
    return read_file(out, bytes, size, where, false);
}

sac_status sac_tensors_read_in_place(sac_tensors **out, const void *bytes, size_t size, const char *where)
{
    SAC_ASSERT((uintptr_t)bytes % 8 == 0);
    return read_file(out, bytes, size, where, true);
}

sac_status sac_tensors_load(sac_tensors **out, const char *path, size_t limit)
{
    *out = NULL;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, limit));
    sac_status status = sac_tensors_read(out, bytes, size, path);
    sac_free(bytes);
    return status;
}
