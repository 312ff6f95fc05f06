#include "files/arrays/tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/checksum.h"

static const char *const names[] = {
#define X(name, text, size) text,
    SAC_DTYPE_LIST(X)
#undef X
};

static const size_t sizes[] = {
#define X(name, text, size) size,
    SAC_DTYPE_LIST(X)
#undef X
};

const char *sac_dtype_name(sac_dtype dtype)
{
    return names[dtype];
}

size_t sac_dtype_size(sac_dtype dtype)
{
    return sizes[dtype];
}

bool sac_tensor_bytes(const sac_tensor *tensor, size_t *bytes)
{
    // A size of zero must not hide an overflow of the others, so the product must fit without it, too.
    size_t product = sizes[tensor->dtype];
    bool empty = false;
    for (int i = 0; i < tensor->rank; i++)
    {
        if (tensor->shape[i] < 0) return false;
        if (tensor->shape[i] == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, (size_t)tensor->shape[i], &product))
            return false;
    }
    *bytes = empty ? 0 : product;
    return true;
}

size_t sac_tensor_count(const sac_tensor *tensor)
{
    size_t count = 1;
    for (int i = 0; i < tensor->rank; i++) count *= (size_t)tensor->shape[i];
    return count;
}

sac_status sac_tensors_create(sac_tensors **out, const char *where, int capacity, int metadata_capacity)
{
    *out = NULL;
    sac_tensors *tensors = SAC_NEW(sac_tensors);
    if (!tensors) return sac_fail_memory(where);
    tensors->where = sac_copy_text(where);
    tensors->items = SAC_NEW_ARRAY(sac_tensor, (size_t)capacity);
    tensors->metadata = SAC_NEW_ARRAY(sac_metadata, (size_t)metadata_capacity);
    tensors->capacity = capacity;
    tensors->metadata_capacity = metadata_capacity;
    if (!tensors->where || !tensors->items || !tensors->metadata)
    {
        sac_tensors_destroy(tensors);
        return sac_fail_memory(where);
    }
    *out = tensors;
    return SAC_OK;
}

sac_status sac_tensors_add(sac_tensors *tensors, const sac_tensor *tensor)
{
    SAC_ASSERT(tensors->count < tensors->capacity);
    size_t bytes = 0;
    bool fits = sac_tensor_bytes(tensor, &bytes);
    SAC_ASSERT(fits);
    (void)fits;
    char *name = sac_copy_text(tensor->name);
    void *data = tensors->borrowed ? (void *)tensor->data : sac_alloc(bytes);
    if (!name || !data)
    {
        sac_free(name);
        if (!tensors->borrowed) sac_free(data);
        return sac_fail_memory(tensors->where);
    }
    if (bytes > 0 && !tensors->borrowed) memcpy(data, tensor->data, bytes);
    sac_tensor *item = &tensors->items[tensors->count++];
    *item = *tensor;
    item->name = name;
    item->data = data;
    return SAC_OK;
}

sac_status sac_tensors_add_metadata(sac_tensors *tensors, const char *key, const char *value)
{
    SAC_ASSERT(tensors->metadata_count < tensors->metadata_capacity);
    sac_metadata entry = {sac_copy_text(key), sac_copy_text(value)};
    tensors->metadata[tensors->metadata_count++] = entry;
    return entry.key && entry.value ? SAC_OK : sac_fail_memory(tensors->where);
}

void sac_tensors_destroy(sac_tensors *tensors)
{
    if (!tensors) return;
    for (int i = 0; i < tensors->count; i++)
    {
        sac_free((void *)tensors->items[i].name);
        if (!tensors->borrowed) sac_free((void *)tensors->items[i].data);
    }
    for (int i = 0; i < tensors->metadata_count; i++)
    {
        sac_free((void *)tensors->metadata[i].key);
        sac_free((void *)tensors->metadata[i].value);
    }
    sac_free(tensors->items);
    sac_free(tensors->metadata);
    sac_free(tensors->where);
    sac_free(tensors);
}

int sac_tensors_count(const sac_tensors *tensors)
{
    return tensors->count;
}

const sac_tensor *sac_tensors_at(const sac_tensors *tensors, int index)
{
    SAC_ASSERT(index >= 0 && index < tensors->count);
    return &tensors->items[index];
}

const sac_tensor *sac_tensors_find(const sac_tensors *tensors, const char *name)
{
    for (int i = 0; i < tensors->count; i++)
        if (strcmp(tensors->items[i].name, name) == 0) return &tensors->items[i];
    return NULL;
}

// "F32 [3, 4]", and -1 as "any"
static void format_shape(char text[256], sac_dtype dtype, int rank, const int64_t *shape)
{
    int length = snprintf(text, 256, "%s", names[dtype]);
    if (rank < 0) return;
    length += snprintf(text + length, 256 - (size_t)length, " [");
    for (int i = 0; i < rank; i++)
    {
        length += snprintf(text + length, 256 - (size_t)length, "%s", i ? ", " : "");
        if (shape[i] < 0)
            length += snprintf(text + length, 256 - (size_t)length, "any");
        else
            length += snprintf(text + length, 256 - (size_t)length, "%" PRId64, shape[i]);
    }
    snprintf(text + length, 256 - (size_t)length, "]");
}

sac_status sac_tensors_get(const sac_tensor **out, const sac_tensors *tensors, const char *name, sac_dtype dtype,
                           int rank, const int64_t *shape)
{
    char expected[256], found[256];
    const sac_tensor *tensor = *out = sac_tensors_find(tensors, name);
    format_shape(expected, dtype, rank, shape);
    if (!tensor)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: tensor '%.80s' is missing, expected %s", tensors->where, name,
                        expected);
    bool fits = tensor->dtype == dtype && (rank < 0 || tensor->rank == rank);
    for (int i = 0; fits && i < rank; i++) fits = shape[i] < 0 || tensor->shape[i] == shape[i];
    if (fits) return SAC_OK;
    *out = NULL;
    format_shape(found, tensor->dtype, tensor->rank, tensor->shape);
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: tensor '%.80s' is %s, expected %s", tensors->where, name, found,
                    expected);
}

const char *sac_tensors_metadata(const sac_tensors *tensors, const char *key)
{
    for (int i = 0; i < tensors->metadata_count; i++)
        if (strcmp(tensors->metadata[i].key, key) == 0) return tensors->metadata[i].value;
    return NULL;
}

int sac_tensors_metadata_count(const sac_tensors *tensors)
{
    return tensors->metadata_count;
}

sac_metadata sac_tensors_metadata_at(const sac_tensors *tensors, int index)
{
    SAC_ASSERT(index >= 0 && index < tensors->metadata_count);
    return tensors->metadata[index];
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sac_hash_bytes(hash, text, strlen(text) + 1);
}

void sac_tensors_checksum(char text[17], const sac_tensor *tensors, int count, const sac_metadata *metadata,
                          int metadata_count)
{
    // The checksum is a sum over the parts, so that their order in the file does not matter.
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
    {
        const sac_tensor *t = &tensors[i];
        size_t bytes = sac_tensor_count(t) * sizes[t->dtype];
        uint64_t hash = hash_text(hash_text(SAC_HASH_START, t->name), names[t->dtype]);
        hash = sac_hash_bytes(hash, t->shape, (size_t)t->rank * sizeof *t->shape);
        sum += sac_hash_bytes(hash, t->data, bytes);
    }
    for (int i = 0; i < metadata_count; i++)
        if (strcmp(metadata[i].key, "checksum") != 0)
            sum += hash_text(hash_text(~SAC_HASH_START, metadata[i].key), metadata[i].value);
    snprintf(text, 17, "%016" PRIx64, sum);
}

sac_status sac_tensors_verify(const sac_tensors *tensors)
{
    char text[17];
    const char *stored = sac_tensors_metadata(tensors, "checksum");
    if (!stored) return sac_fail(SAC_ERROR_FORMAT, "%.400s: the metadata has no checksum", tensors->where);
    sac_tensors_checksum(text, tensors->items, tensors->count, tensors->metadata, tensors->metadata_count);
    if (strcmp(stored, text) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: the checksum is %s, expected %.16s: the file is damaged", tensors->where,
                    text, stored);
}
