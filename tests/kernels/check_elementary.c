#include <math.h>
#include <string.h>

#include "check.h"

typedef void array_fn(float *out, const float *in, int count);

static float any_float(void)
{
    uint32_t bits = (uint32_t)check_integer(0, 0xffff) << 16 | (uint32_t)check_integer(0, 0xffff);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void check_array(array_fn *ref, array_fn *now, const char *name)
{
    static const int counts[] = {0, 1, 15, 16, 17, 1000, 5000};
    for (int c = 0; c < 7; c++)
    {
        int count = counts[c];
        float *in = check_floats(count), *expected = check_floats(count), *out = check_floats(count);
        for (int i = 0; i < count; i++) in[i] = i % 2 ? any_float() : check_uniform(-150, 150);
        ref(expected, in, count);
        now(out, in, count);
        check_same_floats(expected, out, count, "%s of %d", name, count);
        now(in, in, count);
        check_same_floats(expected, in, count, "%s of %d in place", name, count);
        check_release();
    }
}

static void check_turns(const sac_kernels *ref, const sac_kernels *now)
{
    static const int counts[] = {0, 1, 15, 16, 17, 1000, 5000};
    for (int c = 0; c < 7; c++)
    {
        int count = counts[c];
        float *in = check_floats(count), *expected = check_floats(2 * count), *out = check_floats(2 * count);
        for (int i = 0; i < count; i++) in[i] = i % 2 ? any_float() : check_uniform(-20, 20);
        ref->sin_cos(expected, expected + count, in, count);
        now->sin_cos(out, out + count, in, count);
        check_same_floats(expected, out, 2 * count, "sin_cos of %d", count);
        check_release();
    }
}

void check_elementary(const sac_kernels *ref, const sac_kernels *now)
{
    float *in = check_floats(512), *out = check_floats(512);
    check_fill(in, 512, -20, 20);
    if (check_kernel(exp)) check_bench("exp 512", k->exp(out, in, 512));
    if (check_kernel(exp2)) check_bench("exp2 512", k->exp2(out, in, 512));
    if (check_kernel(sigmoid)) check_bench("sigmoid 512", k->sigmoid(out, in, 512));
    if (check_kernel(tanh)) check_bench("tanh 512", k->tanh(out, in, 512));
    float *cosine = check_floats(512);
    if (check_kernel(sin_cos)) check_bench("sin_cos 512", k->sin_cos(out, cosine, in, 512));
    if (check_kernel(sin_cos)) check_turns(ref, now);
    if (check_kernel(exp)) check_array(ref->exp, now->exp, "exp");
    if (check_kernel(exp2)) check_array(ref->exp2, now->exp2, "exp2");
    if (check_kernel(sigmoid)) check_array(ref->sigmoid, now->sigmoid, "sigmoid");
    if (check_kernel(tanh)) check_array(ref->tanh, now->tanh, "tanh");
}
