#include "learn_cases.h"
#include "test.h"

// every layer and loss against differences of its twin in double

static const double tolerance = 1e-6; // of an array's largest

// the gradient of sum dout out(in) by number `at` of array `array`: differences of fourth order
static double difference(const learn_scene *s, double *const *in, double *out, int array, int at)
{
    static const double places[4] = {1, -1, 2, -2}, weights[4] = {8, -8, -1, 1}, step = 1e-4;
    double kept = in[array][at], sum = 0;
    for (int i = 0; i < 4; i++)
    {
        in[array][at] = kept + places[i] * step;
        s->c->twin(in, out);
        for (int o = 0; o < s->out_count; o++) sum += weights[i] * (double)s->dout[o] * out[o];
    }
    in[array][at] = kept;
    return sum / (12 * step);
}

// |got - expected| <= tolerance * largest
static void compare(const learn_case *c, const char *name, const float *got, const double *expected, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(expected[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs((double)got[i] - expected[i]) <= tolerance * largest))
            fail_msg("%s: %s[%d] is %.9g, expected %.9g, largest %g", c->name, name, i, (double)got[i], expected[i],
                     largest);
}

static void check_gradients(const learn_case *c)
{
    learn_scene s = learn_scene_create(c, 1);
    learn_scene_run(&s);
    double *in[LEARN_ARRAYS] = {NULL}, *out = learn_memory((size_t)s.out_count * sizeof *out), *expected;
    for (int i = 0; i < s.arrays; i++)
    {
        int count = learn_count(&c->in[i]);
        in[i] = learn_memory((size_t)count * sizeof **in);
        for (int j = 0; j < count; j++) in[i][j] = (double)s.in[i][j];
    }
    c->twin(in, out);
    compare(c, "out", s.out, out, s.out_count);
    for (int i = 0; i < s.arrays; i++)
    {
        int count = learn_count(&c->in[i]);
        expected = learn_memory((size_t)count * sizeof *expected);
        for (int j = 0; !c->in[i].fixed && j < count; j++) expected[j] = difference(&s, in, out, i, j);
        if (!c->in[i].fixed) compare(c, c->in[i].name, s.din[i], expected, count);
        free(expected);
    }
    for (int i = 0; i < s.arrays; i++) free(in[i]);
    free(out);
    learn_scene_destroy(&s);
}

TEST(gradients_are_those_of_differences)
{
    for (int i = 0; i < LEARN_CASES; i++) check_gradients(&learn_cases[i]);
}

// the loss of one step: out itself, or its distance from what other arrays gave
static double training_loss(learn_scene *s, const float *target)
{
    double loss;
    const sac_learn *l = &s->place.l;
    s->c->run(&s->place, s->in, s->out, NULL, NULL);
    if (s->c->is_loss) return s->dout[0] = 1, (double)s->out[0];
    l->square_loss(l, &loss, s->dout, s->out, target, (size_t)s->out_count, 1.0 / s->out_count);
    return loss;
}

// by Adam a batch is learnt
static void overfit(const learn_case *c)
{
    enum
    {
        STEPS = 3000
    };
    learn_scene s = learn_scene_create(c, 50);
    learn_scene_fill(&s, 50, 1, c->positive);
    learn_scene_run(&s);
    float *target = learn_memory((size_t)s.out_count * sizeof *target), *moments[LEARN_ARRAYS][2];
    memcpy(target, s.out, (size_t)s.out_count * sizeof *target);
    learn_scene_fill(&s, 1, 1, c->positive);
    for (int i = 0; i < s.arrays; i++)
        for (int m = 0; m < 2; m++)
        {
            size_t size = (size_t)learn_count(&c->in[i]) * sizeof(float);
            moments[i][m] = memset(learn_memory(size), 0, size);
        }
    double share = c->learnt > 0 ? c->learnt : 0.01, first = training_loss(&s, target), last = first;
    for (uint64_t step = 1; step <= STEPS && !(last < share * first); step++)
    {
        learn_scene_run(&s);
        const sac_step rates = {.rate = 0.01f * (float)sac_schedule(step, 20, STEPS, 0.1),
                                .beta1 = 0.9f,
                                .beta2 = 0.999f,
                                .epsilon = 1e-8f,
                                .number = step};
        for (int i = 0; i < s.arrays; i++)
            if (!c->in[i].fixed)
                s.place.l.adam_step(&s.place.l, s.in[i], moments[i][0], moments[i][1], s.din[i],
                                    (size_t)learn_count(&c->in[i]), &rates);
        last = training_loss(&s, target);
    }
    if (!(last < share * first)) fail_msg("%s: from %g to %g", c->name, first, last);
    for (int i = 0; i < s.arrays; i++) free(moments[i][0]), free(moments[i][1]);
    free(target);
    learn_scene_destroy(&s);
}

TEST(each_layer_overfits_one_batch)
{
    for (int i = 0; i < LEARN_CASES; i++) overfit(&learn_cases[i]);
}

TEST(every_level_gives_the_same_bits)
{
    const sac_cpu_level best = sac_get_cpu_level();
    for (int i = 0; i < LEARN_CASES; i++)
    {
        sac_set_cpu_level(SAC_CPU_SCALAR);
        uint32_t expected = learn_digest(&learn_cases[i]);
        for (sac_cpu_level level = SAC_CPU_SCALAR + 1; level <= best; level++)
        {
            sac_set_cpu_level(level);
            if (sac_get_cpu_level() != level) continue;
            uint32_t got = learn_digest(&learn_cases[i]);
            if (got != expected)
                fail_msg("%s at %s: %08x, expected %08x", learn_cases[i].name, sac_cpu_level_name(level), got,
                         expected);
        }
    }
    sac_set_cpu_level(best);
}

// Several pictures in one call are what one call after the other gives, to the bit: a sum is one chain over all places,
// wherever a block of them ends. 1600 places are more than a block.
TEST(pictures_together_are_pictures_one_by_one)
{
    enum
    {
        PICTURES = 80,
        IN = PIC_H * PIC_W * PIC_C,
        OUT = PIC_ROWS * PIC_COLUMNS * PIC_O,
        WEIGHTS = PIC_O * PIC_PATCH * PIC_PATCH * PIC_C
    };
    sac_convolution one = learn_convolution, all = learn_convolution;
    all.pictures = PICTURES;
    static _Alignas(64) unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn table = sac_learn_create(scratch), *l = &table;
    float *workspace = learn_memory(sac_convolution_workspace(&all) * sizeof *workspace);
    assert_true(sac_convolution_block(&all) < PICTURES * PIC_ROWS * PIC_COLUMNS);
    static float x[PICTURES * IN], dout[PICTURES * OUT], weights[WEIGHTS], bias[PIC_O];
    static float out[2][PICTURES * OUT], dx[2][PICTURES * IN], dweights[2][WEIGHTS], dbias[2][PIC_O];
    sac_stream stream = sac_stream_create(5, 0, 0);
    for (int i = 0; i < PICTURES * IN; i++) x[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < PICTURES * OUT; i++) dout[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < WEIGHTS; i++) weights[i] = (float)sac_stream_uniform(&stream, -1, 1);
    // dx is added to what is there
    one.add = all.add = true;
    for (int i = 0; i < PICTURES * IN; i++) dx[0][i] = dx[1][i] = x[i];
    l->convolution_forward(l, &all, out[0], x, weights, bias, workspace);
    l->convolution_backward(l, &all, dx[0], dweights[0], dbias[0], dout, x, weights, workspace);
    for (int i = 0; i < PICTURES; i++)
    {
        l->convolution_forward(l, &one, out[1] + (ptrdiff_t)i * OUT, x + (ptrdiff_t)i * IN, weights, bias, workspace);
        l->convolution_backward(l, &one, dx[1] + (ptrdiff_t)i * IN, dweights[1], dbias[1], dout + (ptrdiff_t)i * OUT,
                                x + (ptrdiff_t)i * IN, weights, workspace);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
    assert_memory_equal(dweights[0], dweights[1], sizeof dweights[0]);
    assert_memory_equal(dbias[0], dbias[1], sizeof dbias[0]);
    free(workspace);
}

// more places than an int counts are still many
TEST(many_large_pictures_have_room)
{
    static const int sides[] = {8, 181, 182, 256, 4096};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
    {
        sac_convolution one = {
            .height = sides[i], .width = sides[i], .channels = 1, .patch = 3, .stride = 1, .padding = 1, .outputs = 4};
        sac_convolution all = one;
        all.pictures = 1 << 16;
        assert_true(sac_convolution_block(&all) >= sac_convolution_block(&one));
        assert_true(sac_convolution_workspace(&all) >= sac_convolution_workspace(&one));
        assert_true(sac_convolution_workspace(&all) <= SAC_CONVOLUTION_BLOCK);
    }
}

TESTS(many_large_pictures_have_room, gradients_are_those_of_differences, each_layer_overfits_one_batch,
      every_level_gives_the_same_bits, pictures_together_are_pictures_one_by_one)
