#include <jansson.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/arrays/tensors.h"
#include "files/atomic.h"

enum
{
    LENGTH_SIZE = 8
};

// The Python package lays arrays out in this order: the widest type first, then by name.
static int by_layout(const void *a, const void *b)
{
    const sac_tensor *p = *(const sac_tensor *const *)a, *q = *(const sac_tensor *const *)b;
    if (p->dtype != q->dtype) return p->dtype > q->dtype ? -1 : 1;
    return strcmp(p->name, q->name);
}

// takes over `value`; -1 also when `value` is NULL
static int put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value);
}

static sac_status fail_text(const char *kind, const char *name)
{
    return sac_fail(SAC_ERROR_ARGUMENT, "%s '%.80s' comes twice or is no UTF-8 text", kind, name);
}

static sac_status add_metadata(json_t *header, const sac_tensor *tensors, int count, const sac_metadata *metadata,
                               int metadata_count)
{
    json_t *object = json_object();
    if (put(header, "__metadata__", object) != 0) return sac_fail_memory("a header");
    for (int i = 0; i < metadata_count; i++)
    {
        char checksum[17] = "";
        const char *key = metadata[i].key, *value = metadata[i].value;
        if (!value)
        {
            SAC_ASSERT(strcmp(key, "checksum") == 0);
            sac_tensors_checksum(checksum, tensors, count, metadata, metadata_count);
            value = checksum;
        }
        if (json_object_get(object, key) || put(object, key, json_string(value)) != 0)
            return fail_text("metadata", key);
    }
    return SAC_OK;
}

static sac_status add_tensor(json_t *header, const sac_tensor *tensor, size_t *offset)
{
    size_t bytes;
    if (tensor->rank < 0 || tensor->rank > SAC_TENSOR_MAX_RANK || !sac_tensor_bytes(tensor, &bytes))
        return sac_fail(SAC_ERROR_ARGUMENT, "tensor '%.80s': rank or shape out of range", tensor->name);
    if (strcmp(tensor->name, "__metadata__") == 0 || json_object_get(header, tensor->name))
        return fail_text("tensor", tensor->name);
    json_t *entry = json_object(), *shape = json_array(), *offsets = json_array();
    int failed = 0;
    for (int i = 0; i < tensor->rank; i++) failed |= json_array_append_new(shape, json_integer(tensor->shape[i]));
    failed |= json_array_append_new(offsets, json_integer((json_int_t)*offset));
    failed |= json_array_append_new(offsets, json_integer((json_int_t)(*offset + bytes)));
    failed |= put(entry, "dtype", json_string(sac_dtype_name(tensor->dtype)));
    failed |= put(entry, "shape", shape);
    failed |= put(entry, "data_offsets", offsets);
    failed |= put(header, tensor->name, entry);
    *offset += bytes;
    return failed ? fail_text("tensor", tensor->name) : SAC_OK;
}

static sac_status build_header(json_t *header, const sac_tensor **order, const sac_tensor *tensors, int count,
                               const sac_metadata *metadata, int metadata_count, size_t *data_size)
{
    if (metadata_count > 0) SAC_TRY(add_metadata(header, tensors, count, metadata, metadata_count));
    for (int i = 0; i < count; i++) order[i] = &tensors[i];
    qsort(order, (size_t)count, sizeof *order, by_layout);
    *data_size = 0;
    for (int i = 0; i < count; i++) SAC_TRY(add_tensor(header, order[i], data_size));
    return SAC_OK;
}

// bytes of the header's text in the file: padded so that the data is aligned
static sac_status header_length(const json_t *header, uint64_t *length)
{
    size_t text = json_dumpb(header, NULL, 0, JSON_COMPACT);
    *length = (text + 7) / 8 * 8;
    if (text == 0) return sac_fail_memory("a safetensors file");
    if (*length <= SAC_TENSORS_HEADER_LIMIT) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "names and metadata of %zu bytes, expected at most %d", text,
                    SAC_TENSORS_HEADER_LIMIT);
}

// the length and the text, [LENGTH_SIZE + length]
static sac_status put_header(uint8_t *out, const json_t *header, uint64_t length)
{
    memcpy(out, &length, LENGTH_SIZE);
    memset(out + LENGTH_SIZE, ' ', length);
    size_t text = json_dumpb(header, (char *)out + LENGTH_SIZE, length, JSON_COMPACT);
    return text > 0 && text <= length ? SAC_OK : sac_fail_memory("a safetensors file");
}

static sac_status assemble(uint8_t **bytes, size_t *size, json_t *header, const sac_tensor **order, int count,
                           size_t data_size)
{
    uint64_t length;
    SAC_TRY(header_length(header, &length));
    uint8_t *out = sac_alloc(LENGTH_SIZE + length + data_size);
    if (!out) return sac_fail_memory("a safetensors file");
    sac_status status = put_header(out, header, length);
    if (status != SAC_OK)
    {
        sac_free(out);
        return status;
    }
    uint8_t *at = out + LENGTH_SIZE + length;
    for (int i = 0; i < count; i++)
    {
        size_t part = sac_tensor_count(order[i]) * sac_dtype_size(order[i]->dtype);
        if (part > 0) memcpy(at, order[i]->data, part);
        at += part;
    }
    *bytes = out;
    *size = LENGTH_SIZE + length + data_size;
    return SAC_OK;
}

sac_status sac_tensors_write(uint8_t **bytes, size_t *size, const sac_tensor *tensors, int count,
                             const sac_metadata *metadata, int metadata_count)
{
    *bytes = NULL;
    *size = 0;
    size_t data_size = 0;
    json_t *header = json_object();
    const sac_tensor **order = SAC_NEW_ARRAY(const sac_tensor *, (size_t)count);
    sac_status status = header && order ? SAC_OK : sac_fail_memory("a safetensors file");
    if (status == SAC_OK) status = build_header(header, order, tensors, count, metadata, metadata_count, &data_size);
    if (status == SAC_OK) status = assemble(bytes, size, header, order, count, data_size);
    sac_free(order);
    json_decref(header);
    return status;
}

sac_status sac_tensors_save(const char *path, const sac_tensor *tensors, int count, const sac_metadata *metadata,
                            int metadata_count)
{
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_tensors_write(&bytes, &size, tensors, count, metadata, metadata_count));
    sac_status status = sac_write_file(path, bytes, size);
    sac_free(bytes);
    return status;
}

// --- a file that is written in place -----------------------------------------------------------------------------

struct sac_tensors_writer
{
    sac_atomic file;
    uint8_t *bytes; // the mapped file
    size_t size;
    uint64_t length; // of the header's text
    json_t *header;
    sac_tensor *tensors; // [count] copies of the caller's, for the checksum
    int count;
    bool checked; // the metadata has a checksum
};

// the header as it will be but for the checksum, which has the same length, and the places of the data
static sac_status lay_out(sac_tensors_writer *w, sac_tensor *tensors, const sac_metadata *metadata, int metadata_count)
{
    sac_metadata *known = SAC_NEW_ARRAY(sac_metadata, (size_t)metadata_count);
    const sac_tensor **order = SAC_NEW_ARRAY(const sac_tensor *, (size_t)w->count);
    w->tensors = SAC_NEW_ARRAY(sac_tensor, (size_t)w->count);
    w->header = json_object();
    size_t data_size = 0;
    sac_status status = known && order && w->tensors && w->header ? SAC_OK : sac_fail_memory("a safetensors file");
    for (int i = 0; status == SAC_OK && i < metadata_count; i++)
    {
        known[i] = metadata[i];
        if (known[i].value) continue;
        known[i].value = "0000000000000000";
        w->checked = true;
    }
    if (status == SAC_OK) status = build_header(w->header, order, tensors, w->count, known, metadata_count, &data_size);
    if (status == SAC_OK) status = header_length(w->header, &w->length);
    w->size = LENGTH_SIZE + w->length + data_size;
    if (status == SAC_OK) status = sac_atomic_map(&w->file, w->size, &w->bytes);
    uint8_t *at = status == SAC_OK ? w->bytes + LENGTH_SIZE + w->length : NULL;
    for (int i = 0; status == SAC_OK && i < w->count; i++)
    {
        size_t index = (size_t)(order[i] - tensors);
        tensors[index].data = at;
        at += sac_tensor_count(order[i]) * sac_dtype_size(order[i]->dtype);
    }
    if (status == SAC_OK) memcpy(w->tensors, tensors, (size_t)w->count * sizeof *tensors);
    sac_free(order);
    sac_free(known);
    return status;
}

static void release(sac_tensors_writer *w)
{
    if (w->bytes) munmap(w->bytes, w->size);
    json_decref(w->header);
    sac_free(w->tensors);
    sac_atomic_abort(&w->file); // harmless after a commit
    sac_free(w);
}

sac_status sac_tensors_begin(sac_tensors_writer **out, const char *path, sac_tensor *tensors, int count,
                             const sac_metadata *metadata, int metadata_count)
{
    *out = NULL;
    sac_tensors_writer *w = SAC_NEW(sac_tensors_writer);
    if (!w) return sac_fail_memory("a safetensors file");
    w->count = count;
    sac_status status = sac_atomic_begin(&w->file, path);
    if (status == SAC_OK) status = lay_out(w, tensors, metadata, metadata_count);
    if (status != SAC_OK)
    {
        release(w);
        return status;
    }
    *out = w;
    return SAC_OK;
}

// the checksum has the length of what stands in its place
static sac_status fill_checksum(sac_tensors_writer *w)
{
    json_t *object = json_object_get(w->header, "__metadata__"), *value;
    sac_metadata *metadata = SAC_NEW_ARRAY(sac_metadata, json_object_size(object));
    if (!metadata) return sac_fail_memory("a safetensors file");
    int count = 0;
    const char *key;
    json_object_foreach(object, key, value) metadata[count++] = (sac_metadata){key, json_string_value(value)};
    char checksum[17];
    sac_tensors_checksum(checksum, w->tensors, w->count, metadata, count);
    sac_free(metadata);
    return put(object, "checksum", json_string(checksum)) == 0 ? SAC_OK : sac_fail_memory("a safetensors file");
}

sac_status sac_tensors_commit(sac_tensors_writer *w)
{
    sac_status status = w->checked ? fill_checksum(w) : SAC_OK;
    if (status == SAC_OK) status = put_header(w->bytes, w->header, w->length);
    munmap(w->bytes, w->size);
    w->bytes = NULL;
    if (status == SAC_OK) status = sac_atomic_commit(&w->file);
    release(w);
    return status;
}

void sac_tensors_abort(sac_tensors_writer *w)
{
    if (w) release(w);
}
