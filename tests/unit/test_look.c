#include "classify/heads.h"
#include "nets/look.h"
#include "nets_scene.h"

/// Where heads look: the same as what the net itself computes with, and words for it.

enum
{
    TOKENS = 16, // of 8 x 8 pixels in blocks of 2 x 2
    WIDTH = 10,
    HEADS = 3
};

static const char *const attention_forms[] = {"isotropic", "quadratic", "relative", "content", "transformer_xl"};

static const net_form *form_of(const char *name)
{
    int i = 0;
    while (strcmp(net_forms[i].name, name) != 0) i++;
    return &net_forms[i];
}

// What a head gives is its attention times the tokens. Attention is below 1 and the tokens below `most`: the net sums
// TOKENS products of floats, whose weights, from logits of size up to 30 in floats, are off by 40 units.
static void check_head(const net_scene *s, int layer, int head, int sample, int query)
{
    const int value = sac_net_look_layer(s->net, layer);
    const float *out = sac_net_pass_value(s->pass, value) + ((ptrdiff_t)sample * TOKENS + query) * HEADS * WIDTH;
    const float *x = sac_net_pass_value(s->pass, value - (sac_net_looks_at_content(s->net, layer) ? 2 : 1));
    const float *asked = NULL;
    double attention[TOKENS], sum = 0, most = 0;
    if (sac_net_looks_at_content(s->net, layer))
        asked =
            sac_net_pass_value(s->pass, sac_net_look_asked(s->net, layer)) + (ptrdiff_t)sample * TOKENS * 2 * HEADS * 4;
    sac_net_look(s->net, layer, head, s->parameters, asked, query, attention);
    x += (ptrdiff_t)sample * TOKENS * WIDTH;
    for (int j = 0; j < TOKENS; j++) sum += attention[j];
    assert_near(sum, 1, 1e-14);
    for (int j = 0; j < TOKENS * WIDTH; j++) most = fmax(most, fabs((double)x[j]));
    for (int c = 0; c < WIDTH; c++)
    {
        double seen = 0;
        for (int j = 0; j < TOKENS; j++) seen += attention[j] * (double)x[j * WIDTH + c];
        assert_near((double)out[head * WIDTH + c], seen, (40 + TOKENS) * 0x1p-23 * most);
    }
}

TEST(attention_is_what_the_net_computes_with)
{
    for (size_t f = 0; f < sizeof attention_forms / sizeof *attention_forms; f++)
    {
        net_scene s = net_scene_create(form_of(attention_forms[f]), 1);
        memcpy(sac_net_pass_input(s.pass), s.pictures, NET_SAMPLES * s.picture * sizeof(float));
        (void)sac_net_pass_evaluate(s.pass, s.parameters, s.measured, NULL, NET_SAMPLES);
        assert_int_equal(sac_net_look_heads(s.net, 1), HEADS);
        assert_true(sac_net_look_layer(s.net, 2) < 0);
        for (int layer = 0; layer < 2; layer++)
            for (int head = 0; head < HEADS; head++)
                for (int query = 0; query < TOKENS; query++) check_head(&s, layer, head, query % NET_SAMPLES, query);
        net_scene_destroy(&s);
    }
}

// ---- words for what a head is

// A net of 3 heads that look over 4 x 4 tokens: K = 1, so the neighbourhood is the token itself.
typedef struct judged
{
    float mu[2], root[4];
    sac_head_kind kind;
} judged;

static void check_kinds(const judged *cases, int count, sac_net_shape pictures)
{
    net_scene s = net_scene_create_of(form_of("quadratic"), pictures, 1);
    const sac_net_tensor *centres = sac_net_find(s.net, "layer0.heads.centres");
    const sac_net_tensor *roots = sac_net_find(s.net, "layer0.heads.roots");
    sac_classify_task task = {.kind = "attention-net"};
    const sac_trained_net net = {.task = &task, .net = s.net, .parameters = s.parameters, .measured = s.measured};
    for (int i = 0; i < count; i++)
    {
        sac_heads_seen seen;
        memcpy(s.parameters + centres->first, cases[i].mu, sizeof cases[i].mu);
        memcpy(s.parameters + roots->first, cases[i].root, sizeof cases[i].root);
        assert_ok(sac_heads_see(&seen, &net, NULL, 1, "a net"));
        assert_int_equal(seen.layers * seen.heads, 2 * HEADS);
        const sac_head_seen *h = &seen.seen[0];
        assert_near(h->centre[0], -(double)cases[i].mu[0], 0);
        assert_near(h->centre[1], -(double)cases[i].mu[1], 0);
        if (h->kind != cases[i].kind)
            fail_msg("case %d is %s, expected %s", i, sac_head_kind_name(h->kind), sac_head_kind_name(cases[i].kind));
        sac_heads_seen_clear(&seen);
    }
    net_scene_destroy(&s);
}

TEST(kinds_are_told_apart)
{
    static const judged cases[] = {
        {{0.1f, 0}, {4, 0, 0, 4}, SAC_HEAD_SHIFT},     // sharp, at the token itself
        {{0, 0}, {1.2f, 0, 0, 1.2f}, SAC_HEAD_BLUR},   // deviation 0.83: a quarter on the token
        {{1, 0}, {4, 0, 0, 4}, SAC_HEAD_FAR},          // a neighbour, which K = 1 has none of
        {{0, 0}, {0.8f, 0, 0, 4}, SAC_HEAD_WIDE},      // variance 1.56 of at most (16 - 1) / 12 along rows
        {{0, 0}, {0, 0, 0, 0}, SAC_HEAD_WIDE},         // no precision at all
        {{0, 0}, {1.2f, 0, 0, 120}, SAC_HEAD_FLAT},    // condition 10,000
        {{0, 4}, {4, 0, 0, 4}, SAC_HEAD_OUTSIDE},      // four tokens away, of four
        {{0, 3.6f}, {1.2f, 0, 0, 120}, SAC_HEAD_FLAT}, // what is degenerate is said first
    };
    check_kinds(cases, sizeof cases / sizeof *cases, net_pictures(form_of("quadratic")));
}

// 4 rows and 6 columns of tokens: attention to all alike has variance 1.25 along rows and 2.92 along columns
TEST(rows_and_columns_are_judged_apart)
{
    static const judged wide[] = {
        {{0, 5}, {4, 0, 0, 4}, SAC_HEAD_FAR},        // five columns away, of six
        {{0, 6}, {4, 0, 0, 4}, SAC_HEAD_OUTSIDE},    // six of six
        {{4, 0}, {4, 0, 0, 4}, SAC_HEAD_OUTSIDE},    // four rows away, of four
        {{0, 0}, {4, 0, 0, 0.7f}, SAC_HEAD_BLUR},    // variance 2.04 of 2.92 along columns
        {{0, 0}, {0.7f, 0, 0, 4}, SAC_HEAD_WIDE},    // and of 1.25 along rows
        {{0, 0}, {4, 0, 0, 0.58f}, SAC_HEAD_WIDE},   // 2.97 of 2.92
        {{0, 0}, {1, 0, 0.5f, 0.5f}, SAC_HEAD_WIDE}, // along a slope
    };
    check_kinds(wide, sizeof wide / sizeof *wide, net_wide);
}

// the covariance is the inverse of R^T R, and the spread the root of half its trace
TEST(spreads_are_those_of_the_gaussian)
{
    net_scene s = net_scene_create(form_of("quadratic"), 1);
    sac_classify_task task = {.kind = "attention-net"};
    const sac_trained_net net = {.task = &task, .net = s.net, .parameters = s.parameters, .measured = s.measured};
    sac_heads_seen seen;
    assert_ok(sac_heads_see(&seen, &net, NULL, 1, "a net"));
    for (int i = 0; i < seen.layers * seen.heads; i++)
    {
        const sac_head_seen *h = &seen.seen[i];
        double place[2], p[3];
        assert_true(sac_net_look_form(s.net, h->layer, h->head, s.parameters, place, p));
        const double *v = h->covariance;
        assert_near(p[0] * v[0] + p[1] * v[1], 1, 1e-12);
        assert_near(p[0] * v[1] + p[1] * v[2], 0, 1e-12);
        assert_near(p[1] * v[1] + p[2] * v[2], 1, 1e-12);
        assert_near(h->spread * h->spread, (v[0] + v[2]) / 2, 1e-12);
        assert_true(h->off <= sqrt(0.5) && h->share >= 0 && h->share <= 1);
    }
    sac_heads_seen_clear(&seen);
    net_scene_destroy(&s);
}

TEST(a_net_without_such_heads_is_refused)
{
    net_scene s = net_scene_create(form_of("softmax"), 1);
    sac_classify_task task = {.kind = "vit"};
    const sac_trained_net net = {.task = &task, .net = s.net, .parameters = s.parameters, .measured = s.measured};
    sac_heads_seen seen;
    assert_fails(sac_heads_see(&seen, &net, NULL, 1, "n.safetensors"), SAC_ERROR_FORMAT,
                 "n.safetensors is a vit, expected an attention-net");
    assert_null(seen.seen);
    net_scene_destroy(&s);
}

TESTS(attention_is_what_the_net_computes_with, kinds_are_told_apart, rows_and_columns_are_judged_apart,
      spreads_are_those_of_the_gaussian, a_net_without_such_heads_is_refused)
