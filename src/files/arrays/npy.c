#include "files/arrays/npy.h"

#include <string.h>

#include "base/error.h"
#include "files/arrays/tensors.h"

// numpy/lib/format.py: magic, version, length of the header, header, data

enum
{
    MAGIC_SIZE = 6,
    START_1 = 10,
    START_2 = 12
};

/// The header's text that is left.
typedef struct text
{
    const char *at, *end;
} text;

static void skip_spaces(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\n')) t->at++;
}

static bool take(text *t, const char *word)
{
    skip_spaces(t);
    size_t length = strlen(word);
    if ((size_t)(t->end - t->at) < length || memcmp(t->at, word, length) != 0) return false;
    t->at += length;
    return true;
}

// a word in single or double quotes
static bool take_quoted(text *t, char *word, size_t room)
{
    skip_spaces(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"')) return false;
    char quote = *t->at++;
    size_t length = 0;
    while (t->at < t->end && *t->at != quote && length + 1 < room) word[length++] = *t->at++;
    word[length] = 0;
    return t->at < t->end && *t->at++ == quote;
}

static bool take_number(text *t, int64_t *number)
{
    skip_spaces(t);
    const char *start = t->at;
    *number = 0;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, *t->at - '0', number))
            return false;
    return t->at > start;
}

// (), (3,), (3, 4)
static bool take_shape(text *t, sac_tensor *tensor)
{
    if (!take(t, "(")) return false;
    tensor->rank = 0;
    while (!take(t, ")"))
    {
        if (tensor->rank == SAC_TENSOR_MAX_RANK || !take_number(t, &tensor->shape[tensor->rank++])) return false;
        if (!take(t, ",")) return tensor->rank > 1 && take(t, ")");
    }
    return true;
}

static bool find_dtype(const char *word, sac_dtype *dtype)
{
    static const struct
    {
        char word[4];
        sac_dtype dtype;
    } types[] = {{"<f4", SAC_F32}, {"<f8", SAC_F64}, {"<i4", SAC_I32},
                 {"<i8", SAC_I64}, {"|u1", SAC_U8},  {"|b1", SAC_U8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].word, word) == 0)
        {
            *dtype = types[i].dtype;
            return true;
        }
    return false;
}

static sac_status fail_npy(const char *where, const char *what)
{
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: npy header: %s", where, what);
}

static sac_status read_dictionary(sac_tensor *tensor, text t, const char *where)
{
    enum
    {
        DESCR = 1,
        ORDER = 2,
        SHAPE = 4
    };
    int seen = 0;
    char key[16], word[16];
    if (!take(&t, "{")) return fail_npy(where, "no dictionary");
    while (!take(&t, "}"))
    {
        if (!take_quoted(&t, key, sizeof key) || !take(&t, ":")) return fail_npy(where, "expected a key and a colon");
        int part = strcmp(key, "descr") == 0           ? DESCR
                   : strcmp(key, "fortran_order") == 0 ? ORDER
                   : strcmp(key, "shape") == 0         ? SHAPE
                                                       : 0;
        if (!part || (seen & part)) return fail_npy(where, "a key that is unknown or comes twice");
        seen |= part;
        if (part == DESCR && !take_quoted(&t, word, sizeof word)) return fail_npy(where, "descr is no simple type");
        if (part == DESCR && !find_dtype(word, &tensor->dtype))
            return sac_fail(SAC_ERROR_FORMAT, "%.400s: elements of type '%s', expected <f4, <f8, <i4, <i8, |u1 or |b1",
                            where, word);
        if (part == ORDER && !take(&t, "False")) return fail_npy(where, "the array is not in C order");
        if (part == SHAPE && !take_shape(&t, tensor)) return fail_npy(where, "shape is no tuple of at most 8 sizes");
        if (!take(&t, ",") && (t.at == t.end || *t.at != '}')) return fail_npy(where, "expected a comma");
    }
    skip_spaces(&t);
    if (t.at != t.end) return fail_npy(where, "text follows the dictionary");
    return seen == (DESCR | ORDER | SHAPE) ? SAC_OK : fail_npy(where, "expected descr, fortran_order and shape");
}

sac_status sac_npy_read(sac_tensor *tensor, const uint8_t *bytes, size_t size, const char *where)
{
    if (size < START_2 || memcmp(bytes, "\x93NUMPY", MAGIC_SIZE) != 0) return fail_npy(where, "no npy array");
    int version = bytes[MAGIC_SIZE];
    if (version < 1 || version > 3) return fail_npy(where, "expected version 1, 2 or 3");
    size_t start = version == 1 ? START_1 : START_2;
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (version > 1) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - start) return fail_npy(where, "longer than the array");

    const char *header = (const char *)bytes + start;
    SAC_TRY(read_dictionary(tensor, (text){header, header + length}, where));
    size_t expected, found = size - start - length;
    if (!sac_tensor_bytes(tensor, &expected)) return fail_npy(where, "the shape's product overflows");
    if (expected != found)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %zu bytes of data, the shape needs %zu", where, found, expected);
    tensor->data = bytes + start + length;
    return SAC_OK;
}
