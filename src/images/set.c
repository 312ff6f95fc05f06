#include "images/set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "files/arrays/mapped.h"
#include "files/atomic.h"
#include "files/checksum.h"
#include "images/readers.h"

#define IDX_LABELS "train-labels-idx1-ubyte"

enum
{
    MAX_FILES = 5,
    VIEW_STREAM = 0x76696577, ///< of the seed
    ORDER_STREAM = 0x6f726465,
};

// pictures of one file, whose numbers lie at fixed steps
typedef struct piece
{
    sac_mapped mapped[2]; // pictures and labels
    uint8_t *owned[2];    // where they were packed
    const uint8_t *pixels, *labels;
    int count;
} piece;

struct sac_image_set
{
    piece pieces[MAX_FILES];
    int piece_count, count, rows, columns, channels, classes;
    size_t record, label_step;       // from picture to picture
    size_t pixel_step, channel_step; // from pixel to pixel in a row, and from channel to channel
};

// --- opening ---

// FOLDER/NAME, or FOLDER/NAME.gz
static sac_status find_file(char path[SAC_PATH_SIZE], const char *folder, const char *name)
{
    char packed[96];
    SAC_TRY(sac_join_path(path, folder, name));
    if (access(path, F_OK) == 0) return SAC_OK;
    snprintf(packed, sizeof packed, "%.80s.gz", name);
    SAC_TRY(sac_join_path(path, folder, packed));
    if (access(path, F_OK) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_FILE,
                    "%.400s holds no %s, with or without .gz: 'make data' installs Fashion-MNIST, and data.folder says "
                    "where else to look",
                    folder, name);
}

static sac_status open_idx(sac_idx *idx, piece *p, int which, const char *folder, const char *name)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(find_file(path, folder, name));
    SAC_TRY(sac_map_file(&p->mapped[which], path));
    const sac_mapped *m = &p->mapped[which];
    if (!sac_is_packed(m->bytes, m->size)) return sac_idx_read(idx, m->bytes, m->size, path);
    size_t size;
    SAC_TRY(sac_idx_unpack(&p->owned[which], &size, m->bytes, m->size, path));
    sac_unmap(&p->mapped[which]);
    return sac_idx_read(idx, p->owned[which], size, path);
}

static sac_status open_mnist(sac_image_set *s, const char *folder, bool test)
{
    sac_idx pictures, labels;
    piece *p = &s->pieces[s->piece_count++];
    SAC_TRY(open_idx(&pictures, p, 0, folder, test ? "t10k-images-idx3-ubyte" : "train-images-idx3-ubyte"));
    SAC_TRY(open_idx(&labels, p, 1, folder, test ? "t10k-labels-idx1-ubyte" : IDX_LABELS));
    if (pictures.rank < 3)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: %s holds numbers of rank %d, expected pictures of rank 3 or 4: are they labels?",
                        folder, test ? "t10k-images-idx3-ubyte" : "train-images-idx3-ubyte", pictures.rank);
    if (labels.rank != 1 || pictures.sizes[0] != labels.sizes[0])
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %d pictures of rank %d and %d labels of rank %d do not fit", folder,
                        pictures.sizes[0], pictures.rank - 1, labels.sizes[0], labels.rank);
    p->pixels = pictures.data;
    p->labels = labels.data;
    p->count = pictures.sizes[0];
    s->rows = pictures.sizes[1];
    s->columns = pictures.sizes[2];
    s->channels = pictures.sizes[3];
    s->pixel_step = (size_t)s->channels;
    s->channel_step = 1;
    s->record = (size_t)s->rows * (size_t)s->columns * (size_t)s->channels;
    s->label_step = 1;
    return SAC_OK;
}

static const char cifar_advice[] = "give data.folder the folder of CIFAR-10's binary version (cifar-10-batches-bin), "
                                   "which nothing here can install";

static sac_status open_cifar(sac_image_set *s, const char *folder, bool test)
{
    for (int i = 0; i < (test ? 1 : MAX_FILES); i++)
    {
        char path[SAC_PATH_SIZE], name[32] = "test_batch.bin";
        piece *p = &s->pieces[s->piece_count++];
        if (!test) snprintf(name, sizeof name, "data_batch_%d.bin", i + 1);
        SAC_TRY(sac_join_path(path, folder, name));
        if (access(path, F_OK) != 0)
            return sac_fail(SAC_ERROR_FILE, "%.400s holds no %s: %s", folder, name, cifar_advice);
        SAC_TRY(sac_map_file(&p->mapped[0], path));
        SAC_TRY(sac_cifar_read(&p->count, p->mapped[0].bytes, p->mapped[0].size, path));
        p->labels = p->mapped[0].bytes;
        p->pixels = p->mapped[0].bytes + 1;
    }
    s->rows = s->columns = SAC_CIFAR_SIDE;
    s->channels = 3;
    s->pixel_step = 1;
    s->channel_step = SAC_CIFAR_PLANE;
    s->record = s->label_step = SAC_CIFAR_RECORD;
    return SAC_OK;
}

static sac_status check(sac_image_set *s, const char *folder)
{
    if (s->channels > SAC_IMAGE_CHANNELS || s->rows > 4096 || s->columns > 4096)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: pictures of %d x %d with %d channels, expected 4096 x 4096 and %d at "
                        "most",
                        folder, s->rows, s->columns, s->channels, (int)SAC_IMAGE_CHANNELS);
    for (int i = 0; i < s->piece_count; i++) s->count += s->pieces[i].count;
    for (int i = 0; i < s->count; i++)
    {
        const int label = sac_image_set_label(s, i);
        if (label >= s->classes) s->classes = label + 1;
    }
    return SAC_OK;
}

// A damaged byte among labels would make as many classes as it is large, of which most have no picture. Sets whose
// labels begin with 1 have one class without pictures, so one is allowed.
static sac_status check_labels(const sac_image_set *s, const char *folder)
{
    bool seen[UINT8_MAX + 1] = {false};
    int labels = 0;
    for (int i = 0; i < s->count; i++)
    {
        bool *one = &seen[sac_image_set_label(s, i)];
        if (!*one) labels++;
        *one = true;
    }
    for (int i = 0; i < s->count; i++)
        if (sac_image_set_label(s, i) > labels)
            return sac_fail(SAC_ERROR_FORMAT,
                            "%.400s: picture %d for training has the label %d, and there are %d labels in all: is %s "
                            "damaged?",
                            folder, i, sac_image_set_label(s, i), labels, IDX_LABELS);
    return SAC_OK;
}

static const char idx_advice[] = "'make data' installs Fashion-MNIST, and data.folder says where other data lie";

static sac_status open_set(sac_image_set *s, const char *format, const char *folder, bool test)
{
    const bool cifar = strcmp(format, "cifar-10") == 0;
    if (!*folder) return sac_fail(SAC_ERROR_ARGUMENT, "data.folder is empty, expected the folder of the pictures");
    if (access(folder, F_OK) == 0 && !sac_is_folder(folder))
        return sac_fail(SAC_ERROR_FILE, "%.400s: a file, and data.folder is the folder of the pictures", folder);
    if (!sac_is_folder(folder))
        return sac_fail(SAC_ERROR_FILE, "%.400s: no such folder: %s", folder, cifar ? cifar_advice : idx_advice);
    SAC_TRY(cifar ? open_cifar(s, folder, test) : open_mnist(s, folder, test));
    SAC_TRY(check(s, folder));
    return test || strcmp(format, "idx") != 0 ? SAC_OK : check_labels(s, folder);
}

sac_status sac_image_set_open(sac_image_set **out, const char *format, const char *folder, bool test)
{
    *out = NULL;
    sac_image_set *s = SAC_NEW(sac_image_set);
    if (!s) return sac_fail_memory("a set of pictures");
    sac_status status = open_set(s, format, folder, test);
    if (status != SAC_OK)
    {
        sac_image_set_close(s);
        return status;
    }
    *out = s;
    return SAC_OK;
}

void sac_image_set_close(sac_image_set *s)
{
    if (!s) return;
    for (int i = 0; i < s->piece_count; i++)
        for (int which = 0; which < 2; which++)
        {
            sac_unmap(&s->pieces[i].mapped[which]);
            sac_free(s->pieces[i].owned[which]);
        }
    sac_free(s);
}

// --- pictures ---

int sac_image_set_count(const sac_image_set *s)
{
    return s->count;
}

void sac_image_set_shape(const sac_image_set *s, int *rows, int *columns, int *channels)
{
    *rows = s->rows;
    *columns = s->columns;
    *channels = s->channels;
}

int sac_image_set_classes(const sac_image_set *s)
{
    return s->classes;
}

// the piece that holds a picture, whose number in it replaces `index`
static const piece *piece_of(const sac_image_set *s, int *index)
{
    const piece *p = s->pieces;
    while (*index >= p->count) *index -= p++->count;
    return p;
}

int sac_image_set_label(const sac_image_set *s, int index)
{
    const piece *p = piece_of(s, &index);
    return p->labels[(size_t)index * s->label_step];
}

bool sac_image_set_one_class(const sac_image_set *s, int count)
{
    for (int i = 1; i < count; i++)
        if (sac_image_set_label(s, i) != sac_image_set_label(s, 0)) return false;
    return true;
}

uint64_t sac_image_set_digest(const sac_image_set *s)
{
    const int shape[] = {s->count, s->rows, s->columns, s->channels};
    uint64_t hash = sac_hash_bytes(SAC_HASH_START, shape, sizeof shape);
    for (int i = 0; i < s->piece_count; i++)
    {
        const piece *p = &s->pieces[i];
        const size_t count = (size_t)p->count, picture = (size_t)s->rows * (size_t)s->columns * (size_t)s->channels;
        for (size_t k = 0; k < count; k++) hash = sac_hash_bytes(hash, p->labels + k * s->label_step, 1);
        for (size_t k = 0; k < count; k++) hash = sac_hash_bytes(hash, p->pixels + k * s->record, picture);
    }
    return hash;
}

void sac_image_set_measure(const sac_image_set *s, sac_image_view *view)
{
    for (int c = 0; c < s->channels; c++)
    {
        // whole numbers: nothing is rounded, whatever the order
        uint64_t sum = 0, squares = 0;
        for (int i = 0; i < s->count; i++)
        {
            int index = i;
            const piece *p = piece_of(s, &index);
            const uint8_t *x = p->pixels + (size_t)index * s->record + (size_t)c * s->channel_step;
            for (int k = 0; k < s->rows * s->columns; k++, x += s->pixel_step)
            {
                sum += *x;
                squares += (uint64_t)*x * *x;
            }
        }
        const double count = (double)s->count * s->rows * s->columns, mean = (double)sum / count;
        const double variance = (double)squares / count - mean * mean;
        view->mean[c] = mean / 255;
        view->deviation[c] = variance > 0 ? sqrt(variance) / 255 : 1;
    }
}

// how the numbers of a picture lie
typedef struct layout
{
    int rows, columns, channels;
    size_t pixel_step, channel_step;
} layout;

// the picture moved by (down, right), mirrored or not, into out
static void see(const layout *s, const sac_image_view *view, float *out, const uint8_t *picture, int down, int right,
                bool mirrored)
{
    for (int c = 0; c < s->channels; c++)
    {
        const float factor = (float)(1 / (255 * view->deviation[c])),
                    move = (float)(-view->mean[c] / view->deviation[c]);
        for (int y = 0; y < s->rows; y++)
            for (int x = 0; x < s->columns; x++)
            {
                const int row = y + down, column = (mirrored ? s->columns - 1 - x : x) + right;
                const bool inside = row >= 0 && row < s->rows && column >= 0 && column < s->columns;
                const size_t pixel = inside ? (size_t)row * (size_t)s->columns + (size_t)column : 0;
                const uint8_t *at = picture + pixel * s->pixel_step + (size_t)c * s->channel_step;
                out[(y * s->columns + x) * s->channels + c] = (inside ? (float)*at : 0.0f) * factor + move;
            }
    }
}

void sac_image_see(const sac_image_view *view, float *out, const uint8_t *picture, int rows, int columns, int channels)
{
    const layout l = {rows, columns, channels, (size_t)channels, 1};
    see(&l, view, out, picture, 0, 0, false);
}

static void see_in_set(const sac_image_set *s, const sac_image_view *view, float *out, int index, int down, int right,
                       bool mirrored)
{
    const layout l = {s->rows, s->columns, s->channels, s->pixel_step, s->channel_step};
    const piece *p = piece_of(s, &index);
    see(&l, view, out, p->pixels + (size_t)index * s->record, down, right, mirrored);
}

void sac_image_set_see(const sac_image_set *s, const sac_image_view *view, float *out, int index)
{
    see_in_set(s, view, out, index, 0, 0, false);
}

void sac_image_set_draw(const sac_image_set *s, const sac_image_view *view, float *out, int index, uint64_t seed,
                        uint64_t epoch)
{
    sac_stream stream = sac_stream_create(sac_mix_seed(seed, VIEW_STREAM, 0), epoch, (uint64_t)index);
    const uint32_t span = 2 * (uint32_t)view->padding + 1;
    const int down = (int)sac_stream_below(&stream, span) - view->padding;
    const int right = (int)sac_stream_below(&stream, span) - view->padding;
    const bool mirrored = view->flip && sac_stream_below(&stream, 2) == 1;
    see_in_set(s, view, out, index, down, right, mirrored);
}

void sac_image_order(int *order, int count, uint64_t seed, uint64_t epoch)
{
    // Fisher and Yates
    sac_stream stream = sac_stream_create(seed, ORDER_STREAM, epoch);
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--)
    {
        const int j = (int)sac_stream_below(&stream, (uint32_t)i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
