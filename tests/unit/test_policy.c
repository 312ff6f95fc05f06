#include "policy_scene.h"

#include <float.h>

static uint8_t image[SCENE_SIZE];
static float floats[SCENE_SIZE];

TEST(the_published_agent_has_3667_parameters)
{
    const struct
    {
        const char *name;
        int offset, rank, shape[2];
        double limit;
    } expected[] = {
        {"query.bias", 0, 1, {4, 0}, 1 / sqrt(147)}, {"query.weight", 4, 2, {4, 147}, 1 / sqrt(147)},
        {"key.bias", 592, 1, {4, 0}, 1 / sqrt(147)}, {"key.weight", 596, 2, {4, 147}, 1 / sqrt(147)},
        {"lstm.bias_hh", 1184, 1, {64, 0}, 0.25},    {"lstm.bias_ih", 1248, 1, {64, 0}, 0.25},
        {"lstm.weight_hh", 1312, 2, {64, 16}, 0.25}, {"lstm.weight_ih", 2336, 2, {64, 20}, 0.25},
        {"output.bias", 3616, 1, {3, 0}, 0.25},      {"output.weight", 3619, 2, {3, 16}, 0.25},
    };
    sac_policy *policy;
    assert_ok(scene_create(&policy, ""));
    assert_int_equal(sac_policy_parameter_count(policy), 3667);
    assert_int_equal(sac_policy_tensor_count(policy), 10);
    for (int i = 0; i < 10; i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        assert_string_equal(tensor->name, expected[i].name);
        assert_int_equal(tensor->offset, expected[i].offset);
        assert_int_equal(tensor->rank, expected[i].rank);
        for (int r = 0; r < tensor->rank; r++) assert_int_equal(tensor->shape[r], expected[i].shape[r]);
        assert_near(tensor->init_limit, expected[i].limit, 1e-7);
    }
    sac_policy_destroy(policy);
}

TEST(one_output_for_three_choices_makes_3633)
{
    sac_policy_def def = {
        .kind = "attention-agent", .height = 96, .width = 96, .channels = 3, .action_size = 1, .action_choices = 3};
    sac_policy *policy;
    assert_ok(sac_policy_create(&policy, &def));
    assert_int_equal(sac_policy_parameter_count(policy), 3633);
    sac_policy_destroy(policy);
}

TEST(a_drawn_vector_fills_each_tensor_within_its_limit)
{
    sac_policy *policy = scene_policy("", 7);
    const float *drawn = sac_policy_parameters(policy);
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        double squares = 0, limit = (double)tensor->init_limit;
        size_t size = sac_policy_tensor_size(tensor);
        for (size_t j = 0; j < size; j++)
        {
            double x = (double)drawn[tensor->offset + j];
            assert_true(fabs(x) <= limit);
            squares += x * x;
        }
        // the mean square of uniform numbers is limit^2 / 3, its standard deviation sqrt(4/45) limit^2 / sqrt(n)
        assert_near(squares / (double)size, limit * limit / 3, 5 * 0.2982 * limit * limit / sqrt((double)size));
    }
    sac_policy_destroy(policy);
}

TEST(bytes_and_floats_see_the_same)
{
    sac_policy *policy = scene_policy("", 3);
    const float *theta = sac_policy_parameters(policy);
    sac_policy_state *a = scene_state(policy), *b = scene_state(policy);
    scene_image(image, 1);
    scene_floats(floats, image);
    float action[3];
    sac_gaze from_bytes, from_floats;
    sac_policy_act(a, image, action);
    sac_policy_act_float(b, floats, action);
    sac_policy_gaze(a, &from_bytes);
    sac_policy_gaze(b, &from_floats);

    // a weight is off by half a step of its int16; each path rounds every product and sum once
    static float patch[147];
    for (int n = 0; n < 529; n++)
    {
        assert_true(sac_policy_patch(a, n, patch));
        for (int o = 0; o < 4; o++)
        {
            const float *w = theta + 4 + 147 * o;
            double largest = 0, light = 0, size = fabs((double)theta[o]);
            for (int i = 0; i < 147; i++)
            {
                largest = fmax(largest, fabs((double)w[i]));
                light += (double)patch[i];
                size += fabs((double)(w[i] * patch[i]));
            }
            double bound = largest / 32767 / 2 * light + (147 + 8) * (double)FLT_EPSILON / 2 * size;
            assert_near(from_bytes.queries[4 * n + o], from_floats.queries[4 * n + o], bound);
        }
    }
    sac_policy_state_destroy(a);
    sac_policy_state_destroy(b);
    sac_policy_destroy(policy);
}

TEST(patches_are_cut_in_row_major_order)
{
    sac_policy *policy = scene_policy("", 3);
    sac_policy_state *state = scene_state(policy);
    scene_image(image, 1);
    float action[3], patch[147];
    sac_policy_act(state, image, action);
    for (int n = 0; n < 529; n += 24)
    {
        assert_true(sac_policy_patch(state, n, patch));
        for (int i = 0; i < 147; i++)
        {
            int y = n / 23 * 4 + i / 21, x = n % 23 * 4 + i % 21 / 3;
            assert_true(patch[i] == (float)image[(y * 96 + x) * 3 + i % 3] / 255.0f);
        }
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(the_gaze_is_in_order_and_adds_up)
{
    sac_policy *policy = scene_policy("", 5);
    sac_policy_state *state = scene_state(policy);
    scene_image(image, 2);
    float action[3], row[529];
    static double sums[529];
    sac_gaze gaze;
    sac_policy_act(state, image, action);
    sac_policy_gaze(state, &gaze);
    assert_int_equal(gaze.rows * gaze.columns, 529);
    for (int k = 1; k < gaze.kept; k++)
    {
        float before = gaze.importance[gaze.top[k - 1]], here = gaze.importance[gaze.top[k]];
        assert_true(before > here || (before == here && gaze.top[k - 1] < gaze.top[k]));
    }
    for (int n = 0; n < 529; n++)
    {
        bool kept = false;
        for (int k = 0; k < gaze.kept; k++) kept |= gaze.top[k] == n;
        assert_true(kept || gaze.importance[n] <= gaze.importance[gaze.top[gaze.kept - 1]]);
    }
    for (int k = 0; k < gaze.kept; k++)
    {
        assert_true(gaze.centers[2 * k] == (float)(3 + 4 * (gaze.top[k] / 23)));
        assert_true(gaze.centers[2 * k + 1] == (float)(3 + 4 * (gaze.top[k] % 23)));
        assert_true(gaze.told[2 * k] == gaze.centers[2 * k] / 96);
    }
    // importance is the column sum of the rows, each of which has one vote
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < 529; i++)
    {
        double total = 0;
        assert_true(sac_policy_attention_row(state, i, row));
        for (int j = 0; j < 529; j++) sums[j] += (double)row[j], total += (double)row[j];
        assert_near(total, 1, 529 * (double)FLT_EPSILON);
    }
    // one rounding a row, and a few of the exponents
    for (int j = 0; j < 529; j++) assert_near(gaze.importance[j], sums[j], (529 + 32) * (double)FLT_EPSILON * sums[j]);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

// the whole look, thought and act of three frames as bits
static void run(const char *settings, float out[3][3 + 529])
{
    sac_policy *policy = scene_policy(settings, 11);
    sac_policy_state *state = scene_state(policy);
    for (uint64_t frame = 0; frame < 3; frame++)
    {
        sac_gaze gaze;
        scene_image(image, frame);
        scene_floats(floats, image);
        if (frame < 2)
            sac_policy_act(state, image, out[frame]);
        else
            sac_policy_act_float(state, floats, out[frame]);
        sac_policy_gaze(state, &gaze);
        memcpy(out[frame] + 3, gaze.importance, 529 * sizeof(float));
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(every_cpu_level_gives_the_same_bits)
{
    const sac_cpu_level best = sac_get_cpu_level();
    static const char *const agents[] = {"",
                                         "attention=relu",
                                         "attention=positive",
                                         "attention=relu,attention_features=0",
                                         "patch_features=positions+histogram+conv",
                                         "controller=mlp,top=3"};
    static float expected[3][3 + 529], got[3][3 + 529];
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        for (sac_cpu_level level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
        {
            sac_set_cpu_level(level);
            if (level != SAC_CPU_SCALAR && sac_get_cpu_level() != level) continue;
            run(agents[i], level == SAC_CPU_SCALAR ? expected : got);
            if (level != SAC_CPU_SCALAR) assert_memory_equal(got, expected, sizeof got);
        }
    sac_set_cpu_level(best);
}

TEST(an_episode_starts_from_nothing)
{
    sac_policy *policy = scene_policy("", 3);
    sac_policy_state *state = scene_state(policy);
    float first[3], second[3], again[3];
    scene_image(image, 1);
    sac_policy_act(state, image, first);
    sac_policy_act(state, image, second);
    assert_memory_not_equal(first, second, sizeof first); // it remembers
    sac_policy_state_reset(state);
    sac_policy_act(state, image, again);
    assert_memory_equal(first, again, sizeof first);

    // other parameters and back: nothing of them is left
    sac_policy *other = scene_policy("", 4);
    sac_policy_state_set_parameters(state, sac_policy_parameters(other));
    sac_policy_act(state, image, again);
    assert_memory_not_equal(first, again, sizeof first);
    sac_policy_state_set_parameters(state, sac_policy_parameters(policy));
    sac_policy_act(state, image, again);
    assert_memory_equal(first, again, sizeof first);
    sac_policy_destroy(other);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(actions_are_in_bounds_whatever_the_parameters)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f};
    static float theta[3667];
    sac_policy *policy = scene_policy("", 3);
    sac_policy_state *state = scene_state(policy);
    scene_image(image, 1);
    scene_floats(floats, image);
    for (int i = 0; i < 5; i++)
        for (int index = 0; index < 10; index++)
        {
            memcpy(theta, sac_policy_parameters(policy), sizeof theta);
            const sac_policy_tensor *v = sac_policy_tensor_at(policy, index);
            for (size_t j = 0; j < sac_policy_tensor_size(v); j += 3) theta[v->offset + j] = bad[i];
            sac_policy_state_set_parameters(state, theta);
            for (int way = 0; way < 2; way++)
            {
                float action[3];
                if (way)
                    sac_policy_act(state, image, action);
                else
                    sac_policy_act_float(state, floats, action);
                for (int a = 0; a < 3; a++) assert_true(action[a] >= (a ? 0 : -1) && action[a] <= 1);
            }
        }
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(an_output_of_zero_is_the_middle_of_the_range)
{
    sac_policy *policy;
    assert_ok(scene_create(&policy, ""));
    sac_policy_state *state = scene_state(policy);
    float action[3];
    scene_image(image, 1);
    sac_policy_act(state, image, action);
    assert_true(action[0] == 0 && action[1] == 0.5f && action[2] == 0.5f);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

// all weights zero but one bias, so that the output is its tanh
static float choose(int choices, const char *how, int bias_index, float bias)
{
    static float theta[8192];
    const sac_setting setting = {"choice", how};
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = &setting,
                          .setting_count = 1,
                          .height = SCENE_SIDE,
                          .width = SCENE_SIDE,
                          .channels = 3,
                          .action_size = 1,
                          .action_choices = choices};
    sac_policy *policy;
    assert_ok(sac_policy_create(&policy, &def));
    assert_true(sac_policy_parameter_count(policy) <= 8192);
    memset(theta, 0, sizeof theta);
    theta[sac_policy_tensor_at(policy, 8)->offset + (size_t)bias_index] = bias;
    sac_policy_state *state = scene_state(policy);
    sac_policy_state_set_parameters(state, theta);
    float action;
    sac_policy_act(state, image, &action);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
    return action;
}

TEST(choices_follow_the_output)
{
    // atanh(1/3) = 0.34657
    assert_true(choose(3, "auto", 0, 0.34f) == 0 && choose(3, "auto", 0, -0.34f) == 0);
    assert_true(choose(3, "auto", 0, 0.35f) == 2 && choose(3, "auto", 0, -0.35f) == 1);
    assert_true(choose(3, "auto", 0, NAN) == 0);
    for (int i = 0; i < 5; i++) assert_true(choose(5, "auto", i, 0.1f) == (float)i);
    assert_true(choose(3, "argmax", 2, 0.1f) == 2);
    assert_true(choose(5, "argmax", 0, -0.1f) == 1); // the first of equals
    assert_true(choose(5, "argmax", 0, NAN) == 1);
}

TESTS(the_published_agent_has_3667_parameters, one_output_for_three_choices_makes_3633,
      a_drawn_vector_fills_each_tensor_within_its_limit, bytes_and_floats_see_the_same,
      patches_are_cut_in_row_major_order, the_gaze_is_in_order_and_adds_up, every_cpu_level_gives_the_same_bits,
      an_episode_starts_from_nothing, actions_are_in_bounds_whatever_the_parameters,
      an_output_of_zero_is_the_middle_of_the_range, choices_follow_the_output)
