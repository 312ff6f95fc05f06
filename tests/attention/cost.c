#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saccade/rank.h"
#include "saccade/trans.h"

// one reading of a form at L tokens, for counting its instructions and its reads from memory:
// cost FORM L [importance | rank | trans]

enum
{
    SIZE = 16,       // of queries, keys and values
    RANK_ROWS = 4,   // of P
    TRANS_ROWS = 10, // of P
    MOST_FEATURES = 256
};

typedef struct scene
{
    sac_attention *attention;
    int n, stride;
    float *queries, *keys, *values, *projection, *out;
    void *workspace;
} scene;

static void read_importance(scene *s)
{
    sac_attention_importance(s->attention, s->out, s->queries, s->keys, s->n, s->stride, s->workspace);
}

static void read_rank(scene *s)
{
    float z[RANK_ROWS * MOST_FEATURES];
    sac_rank_summary(s->attention, z, s->projection, RANK_ROWS, s->stride, s->queries, s->n, s->stride, s->workspace);
    sac_rank_scores(s->attention, s->out, s->stride, z, RANK_ROWS, s->n, s->keys, s->n, s->stride, s->workspace);
}

static void read_trans(scene *s)
{
    sac_trans trans = {.attention = s->attention,
                       .rows = TRANS_ROWS,
                       .value_size = SIZE,
                       .projection = s->projection,
                       .projection_stride = s->stride,
                       .residual = true};
    sac_trans_run(&trans, s->out, s->queries, s->keys, s->values, s->n, s->stride, s->workspace);
}

// whole cache lines, as sac_alloc gives them
static float *planes(const scene *s, int count)
{
    size_t size = (size_t)count * (size_t)s->stride * sizeof(float);
    float *planes = aligned_alloc(64, size);
    return planes ? memset(planes, 0, size) : NULL;
}

int main(int argc, char **argv)
{
    static const struct
    {
        const char *name;
        void (*read)(scene *s);
    } readings[] = {{"importance", read_importance}, {"rank", read_rank}, {"trans", read_trans}};
    const char *name = argc == 4 ? argv[3] : "importance";
    int n = argc >= 3 ? atoi(argv[2]) : 0, chosen = 0;
    while (chosen < 3 && strcmp(readings[chosen].name, name) != 0) chosen++;
    if (n < 1 || chosen == 3) return 2;

    sac_attention_def def = sac_attention_default_def();
    def.form = argv[1];
    def.key_size = SIZE;
    def.feature_count = argv[1][0] == 'h' ? 10 : 16;
    // an odd number of cache lines from plane to plane, as docs/attention.md asks for
    scene s = {.n = n, .stride = ((n + 15) / 16 | 1) * 16};
    if (sac_attention_create(&s.attention, &def) != SAC_OK)
    {
        fprintf(stderr, "cost: %s\n", sac_last_error());
        return 1;
    }
    s.queries = planes(&s, SIZE), s.keys = planes(&s, SIZE), s.values = planes(&s, SIZE);
    s.projection = planes(&s, TRANS_ROWS), s.out = planes(&s, SIZE);
    s.workspace = aligned_alloc(64, 1 << 22); // more than any reading asks for
    if (!s.queries || !s.keys || !s.values || !s.projection || !s.out || !s.workspace) return 1;
    readings[chosen].read(&s);
    printf("%g\n", (double)s.out[n - 1]);
    free(s.queries), free(s.keys), free(s.values), free(s.projection), free(s.out), free(s.workspace);
    sac_attention_destroy(s.attention);
    return 0;
}
