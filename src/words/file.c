#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "saccade/words.h"

/// Files of embeddings: a safetensors file with the arrays `patches` and `texts`, and the texts themselves in the
/// metadata's `texts`, one a line.

static const size_t limit = (size_t)1 << 30;

enum
{
    MOST_TEXTS = 65536,
    MOST_SIZE = 65536,
    MOST_SIDE = 4096
};

/// What a file owns.
typedef struct owned
{
    sac_tensors *tensors;
    char *lines;
    const char **names;
} owned;

static sac_status check_numbers(const sac_tensor *t, const char *where)
{
    const float *x = t->data;
    const size_t count = sac_tensor_count(t);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return sac_fail(SAC_ERROR_FORMAT, "%.300s: %s holds %g, expected finite numbers", where, t->name,
                            (double)x[i]);
    return SAC_OK;
}

static sac_status check_sides(const sac_tensor *t, int64_t most, const char *where)
{
    for (int i = 0; i < t->rank; i++)
    {
        const int64_t greatest = i == t->rank - 1 ? MOST_SIZE : most;
        if (t->shape[i] < 1 || t->shape[i] > greatest)
            return sac_fail(SAC_ERROR_FORMAT, "%.300s: side %d of %s is %lld, expected 1 to %lld", where, i, t->name,
                            (long long)t->shape[i], (long long)greatest);
    }
    return check_numbers(t, where);
}

// The lines of a text become names; the last may end with a line's end or not.
static sac_status split_names(sac_words_file *f, owned *o, const char *text, const char *where)
{
    const size_t length = strlen(text);
    o->lines = sac_alloc(length + 1);
    o->names = SAC_NEW_ARRAY(const char *, (size_t)f->texts);
    if (!o->lines || !o->names) return sac_fail_memory("embeddings");
    memcpy(o->lines, text, length + 1);
    int count = 0;
    for (char *at = o->lines; *at; count++)
    {
        char *end = strchr(at, '\n');
        if (count < f->texts) o->names[count] = at;
        if (!end)
        {
            count++;
            break;
        }
        *end = 0;
        at = end + 1;
    }
    f->names = o->names;
    if (count == f->texts) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT,
                    "%.300s: the metadata's texts have %d lines, expected %d, one for each row of texts", where, count,
                    f->texts);
}

static sac_status take(sac_words_file *f, owned *o, const char *where)
{
    static const int64_t any[4] = {-1, -1, -1, -1};
    const sac_tensor *patches, *texts;
    const char *names = sac_tensors_metadata(o->tensors, "texts");
    SAC_TRY(sac_tensors_get(&patches, o->tensors, "patches", SAC_F32, 4, any));
    SAC_TRY(sac_tensors_get(&texts, o->tensors, "texts", SAC_F32, 2, any));
    SAC_TRY(check_sides(patches, MOST_SIDE, where));
    SAC_TRY(check_sides(texts, MOST_TEXTS, where));
    if (patches->shape[3] != texts->shape[1])
        return sac_fail(SAC_ERROR_FORMAT, "%.300s: patches have %lld numbers and texts %lld, expected as many", where,
                        (long long)patches->shape[3], (long long)texts->shape[1]);
    if (!names)
        return sac_fail(SAC_ERROR_FORMAT, "%.300s: the metadata has no 'texts', expected a line for each of them",
                        where);
    f->pictures = (int)patches->shape[0];
    f->rows = (int)patches->shape[1];
    f->columns = (int)patches->shape[2];
    f->size = (int)patches->shape[3];
    f->texts = (int)texts->shape[0];
    f->patches = patches->data;
    f->vectors = texts->data;
    return split_names(f, o, names, where);
}

static sac_status finish(sac_words_file *f, sac_status status, const char *where)
{
    if (status == SAC_OK) status = take(f, f->internal, where);
    if (status != SAC_OK) sac_words_file_clear(f);
    return status;
}

static sac_status begin(sac_words_file *f)
{
    *f = (sac_words_file){.internal = SAC_NEW(owned)};
    return f->internal ? SAC_OK : sac_fail_memory("embeddings");
}

sac_status sac_words_file_load(sac_words_file *f, const char *path)
{
    SAC_TRY(begin(f));
    owned *o = f->internal;
    return finish(f, sac_tensors_load(&o->tensors, path, limit), path);
}

sac_status sac_words_file_read(sac_words_file *f, const void *bytes, size_t size, const char *where)
{
    SAC_TRY(begin(f));
    owned *o = f->internal;
    return finish(f, sac_tensors_read(&o->tensors, bytes, size, where), where);
}

void sac_words_file_clear(sac_words_file *f)
{
    owned *o = f->internal;
    if (o)
    {
        sac_tensors_destroy(o->tensors);
        sac_free(o->lines);
        sac_free(o->names);
        sac_free(o);
    }
    *f = (sac_words_file){0};
}
