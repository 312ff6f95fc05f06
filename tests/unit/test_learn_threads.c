#include "failing_memory.h"
#include "learn/optimiser.h"
#include "learn/slices.h"
#include "learn_cases.h"

// what stands on the layers: a minibatch over threads, optimisers, segments, memory

// --- a small network: two linear layers over 53 samples in 8 slices ---

enum
{
    SAMPLES = 53,
    INPUTS = 7,
    HIDDEN = 19,
    OUTPUTS = 3,
    SLICES = 8,
    PARAMETERS = HIDDEN * INPUTS + HIDDEN + OUTPUTS * HIDDEN + OUTPUTS,
    MOST_THREADS = 4,
    STEPS = 60
};

typedef struct network
{
    float x[SAMPLES * INPUTS], target[SAMPLES * OUTPUTS], parameters[PARAMETERS];
    struct
    {
        float hidden[SAMPLES * HIDDEN], out[SAMPLES * OUTPUTS], dout[SAMPLES * OUTPUTS], dhidden[SAMPLES * HIDDEN];
    } room[MOST_THREADS];
} network;

static double learn_slice(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    network *n = user;
    double loss;
    const int count = slice->count;
    float *hidden = n->room[slice->thread].hidden, *out = n->room[slice->thread].out;
    float *dout = n->room[slice->thread].dout, *dhidden = n->room[slice->thread].dhidden;
    const float *x = n->x + slice->first * INPUTS, *target = n->target + slice->first * OUTPUTS;
    float *p[4] = {n->parameters}, *g[4] = {gradient};
    const int sizes[4] = {HIDDEN * INPUTS, HIDDEN, OUTPUTS * HIDDEN, OUTPUTS};
    for (int i = 1; i < 4; i++) p[i] = p[i - 1] + sizes[i - 1], g[i] = g[i - 1] + sizes[i - 1];
    l->linear_forward(l, hidden, x, p[0], p[1], count, INPUTS, HIDDEN, SAC_ACTIVATION_TANH);
    l->linear_forward(l, out, hidden, p[2], p[3], count, HIDDEN, OUTPUTS, SAC_ACTIVATION_NONE);
    l->square_loss(l, &loss, dout, out, target, (size_t)(count * OUTPUTS), 1.0 / (SAMPLES * OUTPUTS));
    l->linear_backward(l, dhidden, g[2], g[3], dout, hidden, p[2], count, HIDDEN, OUTPUTS);
    l->curve_backward(l, dhidden, dhidden, hidden, SAC_CURVE_TANH, (size_t)(count * HIDDEN));
    l->linear_backward(l, NULL, g[0], g[1], dhidden, x, p[0], count, INPUTS, HIDDEN);
    return loss;
}

static void fill_network(network *n)
{
    fill_uniform(n->x, SAMPLES * INPUTS, 1);
    fill_uniform(n->target, SAMPLES * OUTPUTS, 2);
    fill_uniform(n->parameters, PARAMETERS, 3);
}

static double train(network *n, int threads, sac_optimiser *o, int steps)
{
    float gradient[PARAMETERS];
    sac_threads *pool;
    sac_slices *slices;
    _Alignas(64) static unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn l = sac_learn_create(scratch);
    assert_ok(sac_threads_create(&pool, threads));
    assert_ok(sac_slices_create(&slices, pool, SLICES, PARAMETERS));
    double loss = 0;
    for (int step = 0; step < steps; step++)
    {
        loss = sac_slices_run(slices, gradient, SAMPLES, learn_slice, n);
        sac_optimiser_step(o, &l, n->parameters, gradient);
    }
    sac_slices_destroy(slices);
    sac_threads_destroy(pool);
    return loss;
}

static const sac_optimiser_def *def_of(sac_optimiser_kind kind)
{
    static sac_optimiser_def def;
    def = sac_optimiser_default_def();
    def.kind = kind;
    def.rate = 0.02;
    def.decay = 0.01;
    def.largest_norm = 0.5;
    def.average = 0.9;
    def.warm_steps = 5;
    def.steps = STEPS;
    return &def;
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    static network one, other;
    for (int threads = 1; threads <= MOST_THREADS; threads++)
    {
        network *n = threads == 1 ? &one : &other;
        sac_optimiser *o;
        assert_ok(sac_optimiser_create(&o, def_of(SAC_OPTIMISER_ADAMW), PARAMETERS));
        fill_network(n);
        double loss = train(n, threads, o, STEPS);
        assert_true(loss < 0.33); // the variance of targets: so it learns
        if (threads > 1) assert_memory_equal(one.parameters, n->parameters, sizeof one.parameters);
        sac_optimiser_destroy(o);
    }
}

// saved after 20 steps and restored into a new optimiser, the rest has the same bits
TEST(the_listed_arrays_are_the_whole_state)
{
    static network whole, parts;
    for (sac_optimiser_kind kind = SAC_OPTIMISER_SGD; kind <= SAC_OPTIMISER_ADAMW; kind++)
    {
        sac_optimiser *a, *b, *c;
        const sac_optimiser_def *def = def_of(kind);
        assert_ok(sac_optimiser_create(&a, def, PARAMETERS));
        assert_ok(sac_optimiser_create(&b, def, PARAMETERS));
        assert_ok(sac_optimiser_create(&c, def, PARAMETERS));
        fill_network(&whole), fill_network(&parts);
        train(&whole, 1, a, 40);
        train(&parts, 1, b, 20);
        sac_optimiser_array from[SAC_OPTIMISER_ARRAYS], to[SAC_OPTIMISER_ARRAYS];
        int count = sac_optimiser_list(b, from);
        assert_int_equal(sac_optimiser_list(c, to), count);
        for (int i = 0; i < count; i++) memcpy(to[i].numbers, from[i].numbers, PARAMETERS * sizeof(float));
        sac_optimiser_set_steps(c, sac_optimiser_steps(b));
        train(&parts, 1, c, 20);
        assert_memory_equal(whole.parameters, parts.parameters, sizeof whole.parameters);
        assert_memory_equal(sac_optimiser_average(a), sac_optimiser_average(c), sizeof whole.parameters);
        sac_optimiser_destroy(a), sac_optimiser_destroy(b), sac_optimiser_destroy(c);
    }
}

// --- optimisers against their formulas in double ---

static void expect_step(const sac_optimiser_def *d, int step, double *x, double *m, double *v, double g)
{
    if (d->kind != SAC_OPTIMISER_ADAMW) g += d->decay * *x;
    if (d->kind == SAC_OPTIMISER_SGD)
    {
        *m = d->momentum * *m + g;
        *x -= d->rate * *m;
        return;
    }
    if (d->kind == SAC_OPTIMISER_ADAMW) *x -= d->rate * d->decay * *x;
    *m = d->beta1 * *m + (1 - d->beta1) * g;
    *v = d->beta2 * *v + (1 - d->beta2) * g * g;
    *x -= d->rate * *m / (1 - pow(d->beta1, step)) / (sqrt(*v / (1 - pow(d->beta2, step))) + d->epsilon);
}

TEST(optimisers_follow_their_formulas)
{
    enum
    {
        COUNT = 37
    };
    _Alignas(64) static unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn l = sac_learn_create(scratch);
    for (sac_optimiser_kind kind = SAC_OPTIMISER_SGD; kind <= SAC_OPTIMISER_ADAMW; kind++)
    {
        sac_optimiser_def def = sac_optimiser_default_def();
        def.kind = kind;
        def.rate = 0.01;
        def.decay = 0.1;
        sac_optimiser *o;
        assert_ok(sac_optimiser_create(&o, &def, COUNT));
        float x[COUNT], gradient[COUNT];
        double expected[COUNT], m[COUNT] = {0}, v[COUNT] = {0};
        fill_uniform(x, COUNT, 1);
        for (int i = 0; i < COUNT; i++) expected[i] = (double)x[i];
        for (int step = 1; step <= 10; step++)
        {
            fill_uniform(gradient, COUNT, (uint64_t)(step + 1));
            for (int i = 0; i < COUNT; i++) expect_step(&def, step, &expected[i], &m[i], &v[i], (double)gradient[i]);
            double norm = sac_optimiser_step(o, &l, x, gradient);
            assert_true(norm > 1 && norm < sqrt(COUNT));
        }
        // ten steps round ten times; beta as a float is off by 3e-8, which 1 - beta2 makes 3e-5 of a moment
        for (int i = 0; i < COUNT; i++) assert_near((double)x[i], expected[i], 10 * 6e-8 + 10 * def.rate * 3e-5);
        sac_optimiser_destroy(o);
    }
}

TEST(a_long_gradient_is_shortened)
{
    _Alignas(64) static unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn l = sac_learn_create(scratch);
    float g[100], kept[100];
    double norm, square = 0;
    fill_uniform(g, 100, 1);
    memcpy(kept, g, sizeof g);
    for (int i = 0; i < 100; i++) square += (double)g[i] * (double)g[i];
    l.clip(&l, &norm, g, 1e3, 100);
    assert_near(norm, sqrt(square), 1e-14 * norm);
    assert_memory_equal(g, kept, sizeof g);
    l.clip(&l, &norm, g, 0.5, 100);
    for (int i = 0; i < 100; i++) assert_near((double)g[i], (double)kept[i] * 0.5 / norm, 2e-7 * 0.5);
}

TEST(the_rate_rises_and_falls)
{
    assert_near(sac_schedule(0, 10, 110, 0.1), 0.1, 1e-15);
    assert_near(sac_schedule(9, 10, 110, 0.1), 1, 1e-15);
    assert_near(sac_schedule(10, 10, 110, 0.1), 1, 1e-15);
    assert_near(sac_schedule(60, 10, 110, 0.1), 0.55, 1e-15);
    assert_near(sac_schedule(85, 10, 110, 0.1), 0.1 + 0.45 * (1 - sqrt(0.5)), 1e-15);
    assert_near(sac_schedule(110, 10, 110, 0.1), 0.1, 1e-15);
    assert_near(sac_schedule(1000, 10, 110, 0.1), 0.1, 1e-15);
}

// --- an LSTM ---

// forward is a policy's: the same bits as the step that agents take
TEST(lstm_has_the_bits_of_the_policies_step)
{
    learn_scene s = learn_scene_create(&learn_cases[11], 1);
    assert_string_equal(s.c->name, "lstm");
    learn_scene_run(&s);
    float *packed = learn_memory(sac_lstm_packed_count(LSTM_I, LSTM_H) * sizeof *packed);
    float *scratch = learn_memory((size_t)sac_round_up(LSTM_H) * sizeof *scratch);
    sac_lstm_pack(packed, s.in[3], s.in[4], s.in[5], s.in[6], LSTM_I, LSTM_H);
    for (int b = 0; b < LSTM_B; b++)
    {
        float h[LSTM_H], c[LSTM_H];
        memcpy(h, s.in[1] + b * LSTM_H, sizeof h);
        memcpy(c, s.in[2] + b * LSTM_H, sizeof c);
        for (int t = 0; t < LSTM_T; t++)
        {
            s.place.l.kernels.lstm_step(h, c, s.in[0] + (t * LSTM_B + b) * LSTM_I, packed, LSTM_I, LSTM_H, scratch);
            assert_memory_equal(h, s.out + (t * LSTM_B + b) * LSTM_H, sizeof h);
        }
    }
    free(packed), free(scratch);
    learn_scene_destroy(&s);
}

// two segments, the second's gradient by its first state handed on to the first, are one
TEST(lstm_segments_join)
{
    learn_scene s = learn_scene_create(&learn_cases[11], 1);
    learn_scene_run(&s);
    const sac_learn *l = &s.place.l;
    const sac_lstm first = {2, LSTM_B, LSTM_I, LSTM_H}, second = {3, LSTM_B, LSTM_I, LSTM_H};
    const sac_lstm_weights w = {s.in[3], s.in[4], s.in[5], s.in[6]};
    enum
    {
        STATE = LSTM_B * LSTM_H
    };
    float h[STATE], c[STATE], dh[STATE] = {0}, dc[STATE] = {0}, out[5 * STATE], dx[LSTM_T * LSTM_B * LSTM_I];
    float dw[4][4 * LSTM_H * LSTM_H] = {{0}}, *kept = s.place.kept, *kept2 = kept + LEARN_ROOM / 2;
    const sac_lstm_gradients g = {dw[0], dw[1], dw[2], dw[3]};
    memcpy(h, s.in[1], sizeof h);
    memcpy(c, s.in[2], sizeof c);
    l->lstm_forward(l, &first, out, h, c, kept, s.in[0], NULL, &w, s.place.workspace);
    l->lstm_forward(l, &second, out + 2 * STATE, h, c, kept2, s.in[0] + 2 * LSTM_B * LSTM_I, NULL, &w,
                    s.place.workspace);
    assert_memory_equal(out, s.out, sizeof out);
    l->lstm_backward(l, &second, dx + 2 * LSTM_B * LSTM_I, dh, dc, &g, s.dout + 2 * STATE, kept2, NULL, &w,
                     s.place.workspace);
    l->lstm_backward(l, &first, dx, dh, dc, &g, s.dout, kept, NULL, &w, s.place.workspace);
    assert_memory_equal(dx, s.din[0], sizeof dx);
    assert_memory_equal(dh, s.din[1], sizeof dh);
    // sums over steps run in another order
    for (int i = 0; i < 4 * LSTM_H * LSTM_H; i++) assert_near((double)dw[1][i], (double)s.din[4][i], 1e-6);
    learn_scene_destroy(&s);
}

// --- memory ---

static sac_status make_slices(sac_threads *threads)
{
    sac_slices *slices;
    sac_status status = sac_slices_create(&slices, threads, SLICES, PARAMETERS);
    sac_slices_destroy(slices);
    return status;
}

static sac_status make_optimiser(void)
{
    sac_optimiser *o;
    sac_status status = sac_optimiser_create(&o, def_of(SAC_OPTIMISER_ADAM), PARAMETERS);
    sac_optimiser_destroy(o);
    return status;
}

TEST(lack_of_memory_is_survived)
{
    sac_threads *threads;
    assert_ok(sac_threads_create(&threads, 2));
    assert_survives_lack_of_memory(make_slices(threads), (void)0);
    assert_survives_lack_of_memory(make_optimiser(), (void)0);
    sac_threads_destroy(threads);
}

// with every allocation refused, layers and steps run all the same
TEST(nothing_allocates)
{
    learn_scene scenes[LEARN_CASES];
    sac_optimiser *o;
    float x[PARAMETERS] = {0}, g[PARAMETERS] = {0};
    assert_ok(sac_optimiser_create(&o, def_of(SAC_OPTIMISER_ADAM), PARAMETERS));
    for (int i = 0; i < LEARN_CASES; i++) scenes[i] = learn_scene_create(&learn_cases[i], 1);
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    failing.until_failure = 0;
    failing.failed = false;
    for (int i = 0; i < LEARN_CASES; i++) learn_scene_run(&scenes[i]);
    sac_optimiser_step(o, &scenes[0].place.l, x, g);
    assert_false(failing.failed);
    sac_set_allocator(NULL);
    for (int i = 0; i < LEARN_CASES; i++) learn_scene_destroy(&scenes[i]);
    sac_optimiser_destroy(o);
}

// all that attention of N tokens is given, in floats, grows with N alone, and it stays inside
TEST(attention_never_holds_a_square)
{
    enum
    {
        N = 4096,
        D = 8,
        ROOM_FOR_EACH = 5 * D + 2 * SAC_ATTEND_ROWS
    };
    const sac_attend a = {1, N, N, D, D, D, D, D, D, 1.0f};
    const size_t workspace = sac_attend_workspace(&a), kept = sac_attend_kept(&a), guard = 64;
    assert_true(workspace <= (size_t)N * ROOM_FOR_EACH + SAC_ATTEND_ROWS * D);
    assert_int_equal(kept, 2 * N);
    float *room = learn_memory((workspace + guard) * sizeof *room), *rows = learn_memory((kept + guard) * sizeof *rows);
    float *q = learn_memory(8 * N * D * sizeof *q), *dq = q + 5 * N * D, *dk = dq + N * D, *dv = dk + N * D;
    float *k = q + N * D, *v = k + N * D, *out = v + N * D, *dout = out + N * D;
    fill_uniform(q, 5 * N * D, 1);
    for (size_t i = 0; i < guard; i++) room[workspace + i] = rows[kept + i] = 12345;
    _Alignas(64) static unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn l = sac_learn_create(scratch);
    l.attend_forward(&l, &a, out, rows, q, k, v, room);
    l.attend_backward(&l, &a, dq, dk, dv, dout, out, rows, q, k, v, room);
    for (size_t i = 0; i < guard; i++) assert_true(room[workspace + i] == 12345 && rows[kept + i] == 12345);
    // the rows of a softmax sum to 1, so by v all gradients together are those by out
    for (int d = 0; d < D; d++)
    {
        double given = 0, got = 0;
        for (int i = 0; i < N; i++) given += (double)dout[i * D + d], got += (double)dv[i * D + d];
        assert_near(got, given, N * 1e-6);
    }
    free(room), free(rows), free(q);
}

TESTS(any_number_of_threads_gives_the_same_bits, the_listed_arrays_are_the_whole_state,
      optimisers_follow_their_formulas, a_long_gradient_is_shortened, the_rate_rises_and_falls,
      lstm_has_the_bits_of_the_policies_step, lstm_segments_join, lack_of_memory_is_survived, nothing_allocates,
      attention_never_holds_a_square)
