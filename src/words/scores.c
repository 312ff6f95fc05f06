#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/workspace.h"
#include "kernels/elementary.h"
#include "learn/learn.h"
#include "saccade/words.h"

enum
{
    COOKIE = 0x776f7264,
    MOST_SIZE = 65536,
    MOST_FEATURES = 4096,
};

typedef enum kernel
{
    SOFTMAX,
    RELU,
    EXP,
    SQUARE
} kernel;

static const char *const kernels[] = {"softmax", "relu", "exp", "square", NULL};

struct sac_words
{
    kernel kernel;
    int size, features; // D, and M; 0: phi takes the vectors themselves
    float scale;
    float *matrix; // G [M, D]; NULL: the identity
};

sac_words_def sac_words_default_def(void)
{
    return (sac_words_def){.kernel = "softmax", .seed = 1, .scale = 1, .internal = COOKIE};
}

static sac_status check(const sac_words_def *d, kernel *found)
{
    if (d->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "words: the def does not come from sac_words_default_def");
    while (kernels[*found] && strcmp(kernels[*found], d->kernel ? d->kernel : "") != 0) ++*found;
    if (!kernels[*found])
        return sac_fail(SAC_ERROR_ARGUMENT, "words: kernel is '%.40s', expected softmax, relu, exp or square%s",
                        d->kernel ? d->kernel : "",
                        sac_did_you_mean(sac_nearest_of(d->kernel ? d->kernel : "", kernels)));
    if (d->size < 1 || d->size > MOST_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "words: size is %d, expected 1 to %d", d->size, MOST_SIZE);
    if (d->features < 0 || d->features > MOST_FEATURES)
        return sac_fail(SAC_ERROR_ARGUMENT, "words: features is %d, expected 0 to %d", d->features, MOST_FEATURES);
    if (d->features > 0 && *found == SOFTMAX)
        return sac_fail(SAC_ERROR_ARGUMENT, "words: features is %d, but the kernel softmax has none", d->features);
    if (!(d->scale > 0) || !isfinite(d->scale))
        return sac_fail(SAC_ERROR_ARGUMENT, "words: scale is %g, expected more than 0", d->scale);
    return SAC_OK;
}

static sac_status make(sac_words *w, const sac_words_def *d)
{
    w->size = d->size;
    w->features = d->features;
    w->scale = (float)d->scale;
    if (d->features == 0) return SAC_OK;
    w->matrix = SAC_NEW_MATRIX(float, (size_t)d->features, (size_t)d->size);
    if (!w->matrix) return sac_fail_memory("words");
    return sac_draw_features(w->matrix, d->features, d->size, d->orthogonal, d->seed);
}

sac_status sac_words_create(sac_words **out, const sac_words_def *def)
{
    *out = NULL;
    kernel found = SOFTMAX;
    SAC_TRY(check(def, &found));
    sac_words *w = SAC_NEW(sac_words);
    if (!w) return sac_fail_memory("words");
    w->kernel = found;
    sac_status status = make(w, def);
    if (status != SAC_OK)
        sac_words_destroy(w);
    else
        *out = w;
    return status;
}

void sac_words_destroy(sac_words *w)
{
    if (!w) return;
    sac_free(w->matrix);
    sac_free(w);
}

// --- scores

/// Arrays of a call.
typedef struct room
{
    void *scratch;
    float *query, *keys; // features
} room;

static int width_of(const sac_words *w)
{
    return w->features > 0 ? w->features : w->size;
}

static room cut(const sac_words *w, int patches, sac_workspace *s)
{
    room r = {.scratch = sac_take(s, SAC_LEARN_SCRATCH, 1)};
    if (w->kernel == SOFTMAX) return r;
    r.query = sac_take(s, (size_t)width_of(w), sizeof(float));
    r.keys = sac_take(s, (size_t)patches * (size_t)width_of(w), sizeof(float));
    return r;
}

size_t sac_words_workspace_size(const sac_words *w, int patches)
{
    sac_workspace s = {0};
    cut(w, patches, &s);
    return s.used;
}

// phi of rows; of exp times a factor that all rows share, which divides out of the scores. False where products G x or
// their squares leave the range of float32.
static bool map(const sac_words *w, const sac_learn *l, float *out, const float *x, int rows)
{
    const int width = width_of(w);
    const size_t count = (size_t)rows * (size_t)width;
    if (w->matrix)
        l->linear_forward(l, out, x, w->matrix, NULL, rows, w->size, width, SAC_ACTIVATION_NONE);
    else
        memcpy(out, x, count * sizeof *out);
    float largest = -INFINITY;
    for (size_t i = 0; i < count; i++) largest = fmaxf(largest, out[i]);
    const bool finite = sac_all_finite(out, count);
    for (size_t i = 0; i < count; i++)
        out[i] = w->kernel == RELU ? fmaxf(out[i], 0) : w->kernel == EXP ? sac_exp(out[i] - largest) : out[i] * out[i];
    return finite && sac_all_finite(out, count);
}

// exp of each less the largest, whose factor divides out; false where products leave the range of float32
static bool raise(const sac_words *w, float *scores, int patches)
{
    float largest = -INFINITY;
    for (int i = 0; i < patches; i++) scores[i] *= w->scale, largest = fmaxf(largest, scores[i]);
    const bool finite = sac_all_finite(scores, (size_t)patches);
    for (int i = 0; i < patches; i++) scores[i] = sac_exp(scores[i] - largest);
    return finite;
}

// K of exp is above zero, so a sum of zero means that all its products are too small for float32.
static bool rounded_to_zero(const sac_words *w, double sum)
{
    return w->kernel == EXP && !(sum > 0);
}

bool sac_words_score(const sac_words *w, float *scores, const float *query, const float *keys, int patches,
                     void *workspace)
{
    sac_workspace s = {.memory = workspace};
    const room r = cut(w, patches, &s);
    const sac_learn l = sac_learn_create(r.scratch);
    bool finite;
    double sum = 0;
    if (w->kernel == SOFTMAX)
    {
        l.linear_forward(&l, scores, keys, query, NULL, patches, w->size, 1, SAC_ACTIVATION_NONE);
        finite = raise(w, scores, patches);
    }
    else
    {
        finite = map(w, &l, r.query, query, 1);
        finite = map(w, &l, r.keys, keys, patches) && finite;
        l.linear_forward(&l, scores, r.keys, r.query, NULL, patches, width_of(w), 1, SAC_ACTIVATION_NONE);
        finite = sac_all_finite(scores, (size_t)patches) && finite;
    }
    for (int i = 0; i < patches; i++) sum += (double)scores[i];
    if (rounded_to_zero(w, sum)) finite = false;
    for (int i = 0; i < patches; i++) scores[i] = finite && sum > 0 ? (float)((double)scores[i] / sum) : 0;
    return finite;
}

// --- what all patches together say

/// Sums of (3), and scores for softmax, which has none.
typedef struct sums
{
    float *psi, *gamma; // [action_size, F], [F]
    float *scores;      // [patches]
    void *room;
} sums;

static sums cut_sums(const sac_words *w, int patches, int action_size, sac_workspace *s)
{
    const bool linear = w->kernel != SOFTMAX;
    const size_t width = linear ? (size_t)width_of(w) : 0;
    return (sums){.psi = sac_take(s, (size_t)action_size * width, sizeof(float)),
                  .gamma = sac_take(s, width, sizeof(float)),
                  .scores = sac_take(s, linear ? 0 : (size_t)patches, sizeof(float)),
                  .room = sac_take(s, sac_words_workspace_size(w, patches), 1)};
}

size_t sac_words_expect_workspace_size(const sac_words *w, int patches, int action_size)
{
    sac_workspace s = {0};
    cut_sums(w, patches, action_size, &s);
    return s.used;
}

static void add_up(const sac_words *w, const sums *u, const float *features, const float *actions, int patches,
                   int action_size)
{
    const int width = width_of(w);
    memset(u->psi, 0, (size_t)action_size * (size_t)width * sizeof *u->psi);
    memset(u->gamma, 0, (size_t)width * sizeof *u->gamma);
    for (int j = 0; j < patches; j++)
        for (int i = 0; i < width; i++)
        {
            const float phi = features[(ptrdiff_t)j * width + i];
            u->gamma[i] += phi;
            for (int a = 0; a < action_size; a++)
                u->psi[(ptrdiff_t)a * width + i] =
                    fmaf(actions[(ptrdiff_t)j * action_size + a], phi, u->psi[(ptrdiff_t)a * width + i]);
        }
}

static void weigh(float *out, const float *scores, const float *actions, int patches, int action_size)
{
    for (int a = 0; a < action_size; a++)
    {
        double sum = 0;
        for (int j = 0; j < patches; j++) sum += (double)scores[j] * (double)actions[(ptrdiff_t)j * action_size + a];
        out[a] = (float)sum;
    }
}

// The quotient of (3) for one text; false, and zeros, where it is none.
static bool divide(const sac_words *w, float *out, float divisor, int action_size, bool finite)
{
    finite = finite && isfinite(divisor) && !rounded_to_zero(w, (double)divisor);
    for (int a = 0; a < action_size; a++)
    {
        out[a] = divisor > 0 ? out[a] / divisor : 0;
        finite = finite && isfinite(out[a]);
    }
    if (!finite) memset(out, 0, (size_t)action_size * sizeof *out);
    return finite;
}

bool sac_words_expect(const sac_words *w, float *out, const float *queries, int texts, const float *keys,
                      const float *actions, int patches, int action_size, void *workspace)
{
    sac_workspace s = {.memory = workspace};
    const sums u = cut_sums(w, patches, action_size, &s);
    sac_workspace inner = {.memory = u.room};
    const room r = cut(w, patches, &inner);
    const sac_learn l = sac_learn_create(r.scratch);
    const int width = width_of(w);
    bool all = true, finite = true;
    if (w->kernel != SOFTMAX)
    {
        finite = map(w, &l, r.keys, keys, patches);
        add_up(w, &u, r.keys, actions, patches, action_size);
    }
    for (int i = 0; i < texts; i++, out += action_size, queries += w->size)
    {
        if (w->kernel == SOFTMAX)
        {
            all = sac_words_score(w, u.scores, queries, keys, patches, u.room) && all;
            weigh(out, u.scores, actions, patches, action_size);
            continue;
        }
        float divisor;
        const bool mapped = map(w, &l, r.query, queries, 1);
        l.linear_forward(&l, &divisor, u.gamma, r.query, NULL, 1, width, 1, SAC_ACTIVATION_NONE);
        l.linear_forward(&l, out, u.psi, r.query, NULL, action_size, width, 1, SAC_ACTIVATION_NONE);
        all = divide(w, out, divisor, action_size, finite && mapped) && all;
    }
    return all;
}

// --- the few that are kept

static bool higher(const float *scores, int a, int b)
{
    // what is no number comes last
    const float x = isnan(scores[a]) ? -INFINITY : scores[a], y = isnan(scores[b]) ? -INFINITY : scores[b];
    return x > y || (x == y && a < b);
}

void sac_words_keep(int *top, float *shares, int kept, const float *scores, int patches)
{
    SAC_ASSERT(kept >= 1 && kept <= patches);
    int count = 0;
    for (int i = 0; i < patches; i++)
    {
        int at = count < kept ? count++ : kept;
        for (; at > 0 && higher(scores, i, top[at - 1]); at--)
            if (at < kept) top[at] = top[at - 1];
        if (at < kept) top[at] = i;
    }
    float sum = 0;
    for (int i = 0; i < kept; i++) sum += scores[top[i]];
    for (int i = 0; i < kept; i++) shares[i] = sum > 0 ? scores[top[i]] / sum : 1 / (float)kept;
}

int sac_words_choose(const float *shares, int kept, double chance)
{
    int at = 0;
    double sum = (double)shares[0];
    while (at + 1 < kept && chance >= sum) sum += (double)shares[++at];
    return at;
}
