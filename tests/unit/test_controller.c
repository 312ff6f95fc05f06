#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "policy/controllers/controller.h"
#include "test.h"

// controllers by themselves: a vector of parameters, inputs and outputs, without an agent

enum
{
    INPUTS = 5,
    HIDDEN = 7,
    OUTPUTS = 3,
    STEPS = 4
};

typedef struct bench
{
    sac_policy policy; // the tensors alone
    sac_controller controller;
    float parameters[1024], *prepared, *scratch;
    float inputs[INPUTS], hidden[HIDDEN], cell[HIDDEN], outputs[OUTPUTS];
} bench;

static void open_bench(bench *b, const char *name)
{
    *b = (bench){0};
    b->controller = (sac_controller){.inputs = INPUTS, .hidden = HIDDEN, .layers = 1, .outputs = OUTPUTS};
    assert_ok(sac_controller_plan(&b->controller, &b->policy, name));
    assert_in_range(b->policy.parameter_count, 1, 1024);
    for (int i = 0; i < b->policy.parameter_count; i++) b->parameters[i] = (float)(i * 37 % 101 - 50) / 128;
    const sac_controller *c = &b->controller;
    b->prepared = SAC_NEW_ARRAY(float, c->prepared_size);
    b->scratch = SAC_NEW_ARRAY(float, c->scratch_size);
    if (c->ops->prepare) c->ops->prepare(c, b->parameters, b->prepared);
}

static void step(bench *b, int number)
{
    for (int i = 0; i < INPUTS; i++) b->inputs[i] = (float)((i + 3 * number) * 29 % 17 - 8) / 8;
    sac_controller_io io = {b->inputs, b->hidden, b->cell, b->outputs, b->scratch};
    b->controller.ops->step(&b->controller, b->parameters, b->prepared, &io);
}

static void close_bench(bench *b)
{
    sac_free(b->prepared);
    sac_free(b->scratch);
}

// row of a layer's W x + b
static double row_of(const bench *b, sac_layer layer, const float *x, int row, int columns)
{
    double sum = (double)b->parameters[layer.bias + (size_t)row];
    for (int i = 0; i < columns; i++)
        sum += (double)b->parameters[layer.weight + (size_t)(row * columns + i)] * (double)x[i];
    return sum;
}

// Weights are below 0.4 and inputs at most 1.2 in size. A sum of n products and a bias has at most n + 1 roundings of
// numbers below 0.5 (n + 1), and tanh and the sigmoid, which do not enlarge an error, add two of numbers up to 1.
static double tolerance(int products)
{
    return ((products + 1) * 0.5 * (products + 1) + 2) * (double)FLT_EPSILON / 2;
}

static void assert_outputs(const bench *b, const float *from, int count)
{
    for (int o = 0; o < OUTPUTS; o++)
        assert_near(b->outputs[o], row_of(b, b->controller.to_outputs, from, o, count), tolerance(count));
}

TEST(linear_is_one_layer)
{
    bench b;
    open_bench(&b, "linear");
    assert_int_equal(b.controller.hidden, 0);
    assert_int_equal(b.policy.parameter_count, OUTPUTS * (INPUTS + 1));
    step(&b, 1);
    assert_outputs(&b, b.inputs, INPUTS);
    close_bench(&b);
}

TEST(mlp_has_a_hidden_layer_and_no_memory)
{
    bench b;
    open_bench(&b, "mlp");
    assert_int_equal(b.policy.parameter_count, HIDDEN * (INPUTS + 1) + OUTPUTS * (HIDDEN + 1));
    step(&b, 1);
    for (int h = 0; h < HIDDEN; h++)
        assert_near(b.hidden[h], tanh(row_of(&b, b.controller.from_inputs, b.inputs, h, INPUTS)), tolerance(INPUTS));
    assert_outputs(&b, b.hidden, HIDDEN);
    float first[OUTPUTS];
    memcpy(first, b.outputs, sizeof first);
    step(&b, 2);
    assert_memory_not_equal(first, b.outputs, sizeof first);
    step(&b, 1);
    assert_memory_equal(first, b.outputs, sizeof first);
    close_bench(&b);
}

static double open_gate(double x)
{
    return 1 / (1 + exp(-x));
}

// torch's LSTMCell, one step from the library's own state before it
TEST(lstm_is_that_of_pytorch)
{
    bench b;
    open_bench(&b, "lstm");
    assert_true(b.controller.has_cell);
    for (int n = 0; n < STEPS; n++)
    {
        float hidden[HIDDEN], cell[HIDDEN];
        memcpy(hidden, b.hidden, sizeof hidden);
        memcpy(cell, b.cell, sizeof cell);
        step(&b, n);
        for (int h = 0; h < HIDDEN; h++)
        {
            double gates[4];
            for (int g = 0; g < 4; g++)
                gates[g] = row_of(&b, b.controller.from_inputs, b.inputs, g * HIDDEN + h, INPUTS) +
                           row_of(&b, b.controller.from_hidden, hidden, g * HIDDEN + h, HIDDEN);
            double kept = open_gate(gates[1]) * (double)cell[h] + open_gate(gates[0]) * tanh(gates[2]);
            // four gates, whose errors are multiplied by numbers of at most n + 1, the largest cell after n steps
            double limit = 4 * (n + 1) * tolerance(INPUTS + HIDDEN + 1);
            assert_near(b.cell[h], kept, limit);
            assert_near(b.hidden[h], open_gate(gates[3]) * tanh(kept), limit);
        }
        assert_outputs(&b, b.hidden, HIDDEN);
    }
    close_bench(&b);
}

TESTS(linear_is_one_layer, mlp_has_a_hidden_layer_and_no_memory, lstm_is_that_of_pytorch)
