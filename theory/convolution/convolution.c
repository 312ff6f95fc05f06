#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "papers.h"
#include "random.h"
#include "saccade/heads.h"

/// "Attention layer can implement CNN": Gaussian heads, relative positions, and nine heads.

// ---- a = c = alpha

// Find the worst difference of the general head's logits from -alpha |x - mu|^2, relative to the largest.
static double head_miss(double a, double alpha)
{
    double worst = 0, largest = 0;
    sac_stream stream = sac_stream_create(51, 0, 0);
    for (int i = 0; i < 100; i++)
    {
        double row = sac_stream_uniform(&stream, -3, 3), column = sac_stream_uniform(&stream, -3, 3);
        double x = sac_stream_uniform(&stream, -3, 3), y = sac_stream_uniform(&stream, -3, 3);
        sac_head head = {{row, column}, {a, 0, a}};
        double t[SAC_HEAD_GENERAL], r[SAC_HEAD_GENERAL], logit = 0;
        sac_head_encode(t, &head, SAC_HEAD_GENERAL);
        sac_offset_encode(r, x, y, SAC_HEAD_GENERAL);
        for (int j = 0; j < SAC_HEAD_GENERAL; j++) logit += r[j] * t[j];
        double expected = -alpha * ((x - row) * (x - row) + (y - column) * (y - column));
        worst = fmax(worst, fabs(logit - expected)), largest = fmax(largest, fabs(expected));
    }
    return worst / largest;
}

sac_status theory_conv_isotropic(theory_report *report)
{
    theory_row *row = theory_claim(report, THEORY_PRINTED, "b = 0, a = c = alpha in Eq. 11 is the head of Eq. 7");
    theory_predict(row, "logits -alpha |x - mu|^2 to 1e-12 of the largest, 100 random cases");
    double miss = head_miss(0.7, 0.7);
    theory_measure(row, "off by %.2f of it", miss);
    theory_judge(row, miss <= 1e-12);
    row = theory_claim(report, THEORY_MENDED, "a = c = 2 alpha is");
    theory_predict(row, "the same");
    miss = head_miss(1.4, 0.7);
    theory_measure(row, "off by %.0e", miss);
    theory_judge(row, miss <= 1e-12);
    return SAC_OK;
}

// ---- which weights must vanish

enum
{
    COUNT = 6, // tokens
    CHANNELS = 5,
    KEY = 4,
    LOGITS = COUNT * COUNT
};

typedef struct layer
{
    float query[KEY * CHANNELS], key[KEY * CHANNELS], position[KEY * CHANNELS], u[KEY], v[KEY];
    float tokens[CHANNELS * COUNT], offsets[CHANNELS * (2 * COUNT - 1)];
} layer;

static void draw(float *out, size_t count, uint64_t index)
{
    double normals[CHANNELS * 2 * COUNT];
    sac_normals(normals, count, 52, 0, index);
    for (size_t i = 0; i < count; i++) out[i] = (float)normals[i];
}

static layer draw_layer(void)
{
    layer l;
    draw(l.query, KEY * CHANNELS, 0);
    draw(l.key, KEY * CHANNELS, 1);
    draw(l.position, KEY * CHANNELS, 2);
    draw(l.u, KEY, 3);
    draw(l.v, KEY, 4);
    draw(l.tokens, CHANNELS * COUNT, 5);
    draw(l.offsets, CHANNELS * (2 * COUNT - 1), 6);
    return l;
}

static sac_status compute_logits(const layer *l, float *logits, int terms)
{
    sac_relative relative = {CHANNELS, KEY, l->query, l->key, l->position, l->u, l->v};
    void *workspace = sac_alloc(sac_relative_workspace_size(&relative, COUNT));
    if (!workspace) return sac_fail_memory("logits");
    sac_relative_logits(&relative, logits, terms, l->tokens, COUNT, COUNT, l->offsets, 2 * COUNT - 1, workspace);
    sac_free(workspace);
    return SAC_OK;
}

// Compare all logits of a layer with the term (d) of the whole layer.
static sac_status judge_logits(theory_row *row, const layer *l, const float *wanted)
{
    float logits[LOGITS] = {0};
    SAC_TRY(compute_logits(l, logits, SAC_RELATIVE_ALL));
    double worst = 0, largest = 0, wanted_largest = 0;
    for (int i = 0; i < LOGITS; i++)
    {
        worst = fmax(worst, fabs((double)logits[i] - (double)wanted[i]));
        largest = fmax(largest, fabs((double)logits[i]));
        wanted_largest = fmax(wanted_largest, fabs((double)wanted[i]));
    }
    theory_measure(row, "largest logit %.3g, of (d) %.3g, difference %.1e", largest, wanted_largest, worst);
    theory_judge(row, wanted_largest > 0 && worst <= 1e-5 * wanted_largest);
    return SAC_OK;
}

sac_status theory_conv_logits(theory_report *report)
{
    layer whole = draw_layer();
    float wanted[LOGITS] = {0};
    SAC_TRY(compute_logits(&whole, wanted, SAC_RELATIVE_D));

    theory_row *row = theory_claim(report, THEORY_PRINTED, "W_k,E = W_k,R = 0 leaves the term (d) of Eq. 3");
    theory_predict(row, "all logits equal (d) to 1e-5 of its largest");
    layer printed = whole;
    memset(printed.key, 0, sizeof printed.key);
    memset(printed.position, 0, sizeof printed.position);
    SAC_TRY(judge_logits(row, &printed, wanted));
    row = theory_claim(report, THEORY_MENDED, "W_q = W_k,E = 0 does: (d) contains W_k,R");
    theory_predict(row, "the same");
    layer mended = whole;
    memset(mended.query, 0, sizeof mended.query);
    memset(mended.key, 0, sizeof mended.key);
    return judge_logits(row, &mended, wanted);
}

// ---- nine heads

enum
{
    HEIGHT = 7,
    WIDTH = 6,
    PIXELS = HEIGHT * WIDTH,
    INPUTS = 3,
    OUTPUTS = 4
};

typedef struct picture
{
    float x[INPUTS * PIXELS], weights[9 * INPUTS * OUTPUTS], bias[OUTPUTS];
    double convolved[OUTPUTS * PIXELS]; // with replicate padding
    double zero_padded[OUTPUTS * PIXELS];
    double attended[OUTPUTS * PIXELS]; // by nine heads
} picture;

static int clamp(int value, int size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

// out[o][i] = bias + the sum over taps and inputs of weight times that input at the pixel that the tap sees from pixel
// i.
typedef double see_fn(const picture *p, int tap, int input, int pixel, const void *user);

static void apply(picture *p, double *out, see_fn *see, const void *user)
{
    for (int o = 0; o < OUTPUTS; o++)
        for (int i = 0; i < PIXELS; i++)
        {
            double sum = (double)p->bias[o];
            for (int tap = 0; tap < 9; tap++)
                for (int c = 0; c < INPUTS; c++)
                    sum += (double)p->weights[(tap * INPUTS + c) * OUTPUTS + o] * see(p, tap, c, i, user);
            out[o * PIXELS + i] = sum;
        }
}

// `user` says whether pixels outside count as zero.
static double see_pixel(const picture *p, int tap, int input, int pixel, const void *user)
{
    int row = pixel / WIDTH + tap / 3 - 1, column = pixel % WIDTH + tap % 3 - 1;
    int inside_row = clamp(row, HEIGHT), inside_column = clamp(column, WIDTH);
    if (user && (row != inside_row || column != inside_column)) return 0;
    return (double)p->x[input * PIXELS + inside_row * WIDTH + inside_column];
}

// `user` is nine encoded heads [9, SAC_HEAD_ISOTROPIC]; the softmax is over all pixels, in double.
static double see_softly(const picture *p, int tap, int input, int pixel, const void *user)
{
    const double *t = (const double *)user + tap * SAC_HEAD_ISOTROPIC;
    double logits[PIXELS], most = -INFINITY, sum = 0, seen = 0;
    for (int j = 0; j < PIXELS; j++)
    {
        double r[SAC_HEAD_ISOTROPIC];
        int down = pixel / WIDTH - j / WIDTH, right = pixel % WIDTH - j % WIDTH;
        sac_offset_encode(r, down, right, SAC_HEAD_ISOTROPIC);
        logits[j] = 0;
        for (int e = 0; e < SAC_HEAD_ISOTROPIC; e++) logits[j] += r[e] * t[e];
        most = fmax(most, logits[j]);
    }
    for (int j = 0; j < PIXELS; j++)
    {
        double weight = exp(logits[j] - most);
        sum += weight, seen += weight * (double)p->x[input * PIXELS + j];
    }
    return seen / sum;
}

static double distance(const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < OUTPUTS * PIXELS; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static double soft_distance(picture *p, double alpha)
{
    sac_head heads[9];
    double encoded[9 * SAC_HEAD_ISOTROPIC];
    sac_heads_nine(heads, alpha);
    for (int h = 0; h < 9; h++) sac_head_encode(encoded + h * SAC_HEAD_ISOTROPIC, &heads[h], SAC_HEAD_ISOTROPIC);
    apply(p, p->attended, see_softly, encoded);
    return distance(p->attended, p->convolved);
}

static sac_status library_distance(double *out, const picture *p, double alpha)
{
    sac_head nine[9];
    sac_heads_nine(nine, alpha);
    sac_heads_def def = sac_heads_default_def();
    def.height = HEIGHT, def.width = WIDTH, def.count = 9, def.heads = nine;
    sac_heads *heads;
    SAC_TRY(sac_heads_create(&heads, &def));
    float result[OUTPUTS * PIXELS];
    double wide[OUTPUTS * PIXELS];
    void *workspace = sac_alloc(sac_heads_workspace_size(heads, OUTPUTS));
    if (workspace)
        sac_heads_layer(heads, result, OUTPUTS, PIXELS, p->x, INPUTS, PIXELS, p->weights, p->bias, workspace);
    for (int i = 0; workspace && i < OUTPUTS * PIXELS; i++) wide[i] = (double)result[i];
    *out = workspace ? distance(wide, p->convolved) : 0;
    sac_free(workspace);
    sac_heads_destroy(heads);
    return workspace ? SAC_OK : sac_fail_memory("nine heads");
}

static sac_status check_nine(theory_report *report, picture *p)
{
    sac_stream stream = sac_stream_create(53, 0, 0);
    for (int i = 0; i < INPUTS * PIXELS; i++) p->x[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < 9 * INPUTS * OUTPUTS; i++) p->weights[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < OUTPUTS; i++) p->bias[i] = (float)sac_stream_uniform(&stream, -1, 1);
    apply(p, p->convolved, see_pixel, NULL);
    apply(p, p->zero_padded, see_pixel, "");

    theory_row *row =
        theory_claim(report, THEORY_PRINTED, "nine Gaussian heads become a 3 x 3 convolution as alpha grows");
    theory_predict(row, "7 x 6 pixels, replicate padding, in double: difference below 1e-6 at alpha = 20, 1e-13 at 40");
    double at_20 = soft_distance(p, 20), at_40 = soft_distance(p, 40), library;
    theory_measure(row, "%.1e, %.1e", at_20, at_40);
    theory_judge(row, at_20 < 1e-6 && at_40 < 1e-13);
    row = theory_claim(report, THEORY_FURTHER, "the library's layer of nine heads does, in float32");
    theory_predict(row, "alpha = 40: within 28 roundings of a sum of at most 28, 5e-5");
    SAC_TRY(library_distance(&library, p, 40));
    theory_measure(row, "%.1e", library);
    theory_judge(row, library <= 5e-5);
    row = theory_claim(report, THEORY_FURTHER, "the border is not padded with zeros");
    theory_predict(row, "a convolution with zero padding differs by more than 0.1");
    double apart = distance(p->zero_padded, p->attended);
    theory_measure(row, "%.2f", apart);
    theory_judge(row, apart > 0.1);
    return SAC_OK;
}

// Delta = p_i - p_j, so a head with target t looks at p_i - t
static sac_status check_flip(theory_report *report)
{
    sac_head head = sac_head_isotropic(40, 1, 0);
    sac_heads_def def = sac_heads_default_def();
    def.height = HEIGHT, def.width = WIDTH, def.count = 1, def.heads = &head;
    sac_heads *heads;
    SAC_TRY(sac_heads_create(&heads, &def));
    float logits[PIXELS];
    int query = 3 * WIDTH + 2, best = 0;
    sac_heads_logits(heads, 0, logits, query);
    for (int i = 1; i < PIXELS; i++)
        if (logits[i] > logits[best]) best = i;
    sac_heads_destroy(heads);
    theory_row *row = theory_claim(report, THEORY_FURTHER, "Delta = query - key: a head with target t looks at p - t");
    theory_predict(row, "target (1, 0) at pixel (3, 2) looks at (2, 2): a flipped, true convolution");
    theory_measure(row, "(%d, %d)", best / WIDTH, best % WIDTH);
    theory_judge(row, best == query - WIDTH);
    return SAC_OK;
}

sac_status theory_conv_nine(theory_report *report)
{
    picture *p = SAC_NEW(picture);
    sac_status status = p ? check_nine(report, p) : sac_fail_memory("nine heads");
    sac_free(p);
    SAC_TRY(status);
    return check_flip(report);
}
