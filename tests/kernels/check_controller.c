#include <math.h>

#include "check.h"

static void check_lstm(const sac_kernels *ref, const sac_kernels *now, int inputs, int hidden)
{
    int padded = sac_round_up(hidden);
    float *weight_ih = check_floats(4 * hidden * inputs), *weight_hh = check_floats(4 * hidden * hidden);
    float *bias_ih = check_floats(4 * hidden), *bias_hh = check_floats(4 * hidden), *x = check_floats(inputs);
    float *h = check_floats(hidden), *c = check_floats(hidden), *new_h = check_floats(hidden);
    float *new_c = check_floats(hidden), *scratch = check_aligned_floats(padded);
    float *packed = check_floats((int)sac_lstm_packed_count(inputs, hidden));
    check_fill(weight_ih, 4 * hidden * inputs, -1, 1);
    check_fill(weight_hh, 4 * hidden * hidden, -1, 1);
    check_fill(bias_ih, 4 * hidden, -1, 1);
    check_fill(bias_hh, 4 * hidden, -1, 1);
    sac_lstm_pack(packed, weight_ih, weight_hh, bias_ih, bias_hh, inputs, hidden);
    for (int i = 0; i < hidden; i++) h[i] = c[i] = new_h[i] = new_c[i] = 0;
    for (int step = 0; step < 3; step++)
    {
        check_fill(x, inputs, -2, 2);
        ref->lstm_step(h, c, x, packed, inputs, hidden, scratch);
        now->lstm_step(new_h, new_c, x, packed, inputs, hidden, scratch);
        check_same_floats(h, new_h, hidden, "h, %d inputs, %d hidden, step %d", inputs, hidden, step);
        check_same_floats(c, new_c, hidden, "c, %d inputs, %d hidden, step %d", inputs, hidden, step);
    }
    if (inputs == 20 && hidden == 16)
        check_bench("lstm_step 20 to 16", k->lstm_step(new_h, new_c, x, packed, inputs, hidden, scratch));
}

static void check_dense(const sac_kernels *ref, const sac_kernels *now, int outputs, int inputs)
{
    float *weights = check_floats(outputs * inputs), *bias = check_floats(outputs), *x = check_floats(inputs);
    float *expected = check_floats(outputs), *out = check_floats(outputs);
    check_fill(weights, outputs * inputs, -1, 1);
    check_fill(bias, outputs, -1, 1);
    check_fill(x, inputs, -1, 1);
    ref->dense(expected, weights, bias, x, outputs, inputs);
    now->dense(out, weights, bias, x, outputs, inputs);
    check_same_floats(expected, out, outputs, "%d outputs, %d inputs", outputs, inputs);
    if (outputs == 3 && inputs == 16) check_bench("dense 16 to 3", k->dense(out, weights, bias, x, outputs, inputs));
}

static void check_top(const sac_kernels *ref, const sac_kernels *now, int n, int k_wanted, int kinds)
{
    float *values = check_floats(n);
    int32_t *expected = check_buffer((size_t)k_wanted * sizeof(int32_t), 4);
    int32_t *out = check_buffer((size_t)k_wanted * sizeof(int32_t), 4);
    // few kinds: many ties; 0: any number
    for (int i = 0; i < n; i++) values[i] = kinds ? (float)check_integer(0, kinds) : check_uniform(0, 1);
    for (int i = 0; i < n / 8; i++) values[check_integer(0, n - 1)] = check_integer(0, 3) ? NAN : -INFINITY;
    ref->top(expected, k_wanted, values, n);
    now->top(out, k_wanted, values, n);
    check_same_integers(expected, out, k_wanted, "n %d, k %d, kinds %d", n, k_wanted, kinds);
    if (n == 529 && k_wanted == 10 && kinds == 0) check_bench("top 10 of 529", k->top(out, 10, values, n));
}

void check_controller(const sac_kernels *ref, const sac_kernels *now)
{
    static const int inputs[] = {1, 20, 33}, units[] = {1, 15, 16, 40}, tokens[] = {1, 10, 17, 100, 529};
    for (int i = 0; i < 3; i++)
        for (int u = 0; u < 4; u++)
        {
            if (check_kernel(lstm_step)) check_lstm(ref, now, inputs[i], units[u]);
            if (check_kernel(dense)) check_dense(ref, now, inputs[i], units[u]);
            check_release();
        }
    if (check_kernel(dense)) check_dense(ref, now, 3, 16);
    if (check_kernel(top))
        for (int t = 0; t < 5; t++)
            for (int kinds = 0; kinds < 4; kinds++)
            {
                check_top(ref, now, tokens[t], 1, kinds);
                check_top(ref, now, tokens[t], tokens[t] < 10 ? tokens[t] : 10, kinds);
                check_top(ref, now, tokens[t], tokens[t] < SAC_MAX_TOP ? tokens[t] : SAC_MAX_TOP, kinds);
                check_release();
            }
}
