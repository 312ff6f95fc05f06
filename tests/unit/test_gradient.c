#include "failing_memory.h"
#include "gradient_scene.h"
#include "policy/parts.h"

// gradients of policies: forward is what acting computes, backward is the same bits everywhere and adds

enum
{
    STEPS = 6
};

static const char *const zoo[] = {
    "zoo/car-racing/trans",          "zoo/car-racing/softmax",
    "zoo/car-racing/linear",         "zoo/take-cover/trans",
    "zoo/take-cover/softmax",        "zoo/take-cover/linear",
    "zoo/control/cartpole-swingup",  "zoo/control/cheetah-run",
    "zoo/control/reacher-easy",      "zoo/control/cartpole-swingup-clean",
    "zoo/control/cheetah-run-clean", "zoo/control/walker-walk",
};

// the largest difference of outputs from those of acting, both before bounds
static double distance(const sac_policy *policy)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    const bool chooses = def->action_choices || policy->ops == &sac_action_tokens_ops; // by its outputs
    minibatch m = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, STEPS, 1);
    sac_policy_state *state = scene_state(policy);
    float action[16];
    double largest = 0;
    sac_gradient_forward(m.gradient, m.outputs, sac_policy_parameters(policy), &m.batch, m.workspace);
    for (int t = 0; t < STEPS; t++)
    {
        sac_gaze gaze = {0};
        sac_policy_act_on(state, (const void *const *)m.parts + t * def->input_count, action);
        sac_policy_gaze(state, &gaze);
        assert_int_equal(gaze.output_size, m.outputs_size);
        for (int o = 0; o < m.outputs_size; o++)
        {
            double expected = (double)(chooses ? gaze.output[o] : action[o]);
            double got = (double)m.outputs[t * m.outputs_size + o];
            if (!chooses) // as acting cuts it
                got = fmin(fmax(got, (double)def->action_low[o]), (double)def->action_high[o]);
            assert_true(isfinite(got));
            largest = fmax(largest, fabs(got - expected));
        }
    }
    sac_policy_state_destroy(state);
    minibatch_destroy(&m);
    return largest;
}

// tensors that are multiplied in floats; patches are projected and scored with acting's own bits
static bool is_rounded(const char *name)
{
    static const char *const exact[] = {"query.", "key.", "value.", "patches.", "conv0.", "rank.", "filter."};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strncmp(name, exact[i], strlen(exact[i])) == 0) return false;
    return true;
}

// the longest sum of products: over patches, those of a history, or over what a layer is told
static int longest_sum(const sac_policy *policy)
{
    const sac_rt *rt = policy->ops == &sac_action_tokens_ops ? policy->self : NULL;
    int longest = rt ? rt->config.history * rt->embedding.count + rt->tokens : 1;
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        int inner = (int)(sac_policy_tensor_size(tensor) / (size_t)tensor->shape[0]);
        if (tensor->rank > 1 && inner > longest) longest = inner;
    }
    return longest;
}

// A sum of n products in any order is the exact sum of products that are off by n eps each (Higham 2002, 3.1). So two
// orders differ by no more than what such errors in the factors do, to first order: parameters off by n eps at random
// measure that. Twice, because two passes round; and twice again, because factors that are no parameters (features,
// values) are off, too.
static double tolerance_of(const sac_policy *policy)
{
    const double error = longest_sum(policy) * 0x1p-24;
    const int count = sac_policy_parameter_count(policy);
    minibatch m = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, STEPS, 1), near = m;
    float *parameters = malloc((size_t)count * sizeof *parameters);
    float *outputs = malloc((size_t)(m.count * m.outputs_size) * sizeof *outputs);
    double largest = 0x1p-23;
    assert_non_null(parameters);
    assert_non_null(outputs);
    near.outputs = outputs;
    sac_gradient_forward(m.gradient, m.outputs, sac_policy_parameters(policy), &m.batch, m.workspace);
    for (uint64_t draw = 0; draw < 8; draw++)
    {
        sac_stream stream = sac_stream_create(draw, 0, 0);
        memcpy(parameters, sac_policy_parameters(policy), (size_t)count * sizeof *parameters);
        for (int i = 0; i < sac_policy_tensor_count(policy); i++)
        {
            const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
            for (size_t j = 0; is_rounded(tensor->name) && j < sac_policy_tensor_size(tensor); j++)
                parameters[tensor->offset + j] *= (float)(1 + sac_stream_uniform(&stream, -error, error));
        }
        sac_gradient_forward(near.gradient, near.outputs, parameters, &near.batch, near.workspace);
        for (int i = 0; i < m.count * m.outputs_size; i++)
            largest = fmax(largest, fabs((double)m.outputs[i] - (double)near.outputs[i]));
    }
    free(parameters);
    free(outputs);
    minibatch_destroy(&m);
    return 4 * largest;
}

static void check_forward(const sac_policy *policy, const char *name)
{
    double off = distance(policy), tolerance = tolerance_of(policy);
    if (!(off <= tolerance)) fail_msg("%s: outputs are off by %g, expected at most %g", name, off, tolerance);
}

TEST(forward_is_what_acting_computes)
{
    for (int i = 0; i < GRADIENT_KINDS; i++)
    {
        sac_policy *policy = scene_any_policy(gradient_kinds[i]);
        check_forward(policy, gradient_kinds[i]);
        sac_policy_destroy(policy);
    }
    for (int i = 0; i < SPEAKING_KINDS; i++)
    {
        sac_policy *policy = scene_any_policy(speaking_kinds[i]);
        check_forward(policy, speaking_kinds[i]);
        sac_policy_destroy(policy);
    }
    for (size_t i = 0; i < sizeof zoo / sizeof *zoo; i++)
    {
        char path[256];
        sac_policy *policy;
        snprintf(path, sizeof path, "%s/%s.safetensors", SAC_SOURCE_DIR, zoo[i]);
        assert_ok(sac_policy_load(&policy, NULL, path));
        check_forward(policy, zoo[i]);
        sac_policy_destroy(policy);
    }
}

// outputs and gradients of a minibatch at every level
static void check_levels(const char *settings, sac_choosing choosing, bool speaks)
{
    const sac_cpu_level best = sac_get_cpu_level();
    minibatch first = {0};
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() != level) continue;
        sac_policy *policy = scene_any_policy(settings);
        minibatch m = minibatch_create(policy, choosing, 3, 2);
        minibatch_go_on(&m);
        if (speaks) minibatch_say(&m);
        minibatch_run(&m, sac_policy_parameters(policy));
        m.owned = policy;
        if (!first.gradient)
        {
            first = m;
            continue;
        }
        assert_memory_equal(first.outputs, m.outputs, (size_t)(m.count * m.outputs_size) * sizeof(float));
        for (int j = 0; j < m.parameters; j++)
            if (memcmp(&first.sums[j], &m.sums[j], sizeof(float)) != 0)
                fail_msg("%s, choosing %d: level %s differs in number %d: %g, %g", settings, (int)choosing,
                         sac_cpu_level_name(level), j, (double)first.sums[j], (double)m.sums[j]);
        minibatch_destroy(&m);
    }
    minibatch_destroy(&first);
    sac_set_cpu_level(best);
}

TEST(every_level_gives_the_same_bits)
{
    for (int i = 0; i < GRADIENT_KINDS; i++)
        for (sac_choosing choosing = SAC_CHOOSE_STRAIGHT; choosing <= SAC_CHOOSE_SOFT; choosing++)
            check_levels(gradient_kinds[i], choosing, false);
    for (int i = 0; i < SPEAKING_KINDS; i++) check_levels(speaking_kinds[i], SAC_CHOOSE_STRAIGHT, true);
}

// sequences side by side are what they are one by one, and a sequence in two parts is what it is in one
TEST(outputs_depend_on_their_own_sequence_alone)
{
    for (int i = 0; i < GRADIENT_KINDS; i++)
    {
        sac_policy *policy = scene_any_policy(gradient_kinds[i]);
        const float *parameters = sac_policy_parameters(policy);
        minibatch both = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, 4, 2);
        minibatch one = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, 2, 1);
        const size_t size = (size_t)both.outputs_size;
        sac_gradient_forward(both.gradient, both.outputs, parameters, &both.batch, both.workspace);
        minibatch_go_on(&one);
        for (int part = 0; part < 2; part++)
        {
            one.starts[0] = part == 0; // the second part goes on from the first one's state
            one.starts[1] = 0;
            const int inputs = sac_policy_get_def(policy)->input_count;
            for (int t = 0; t < 2; t++)
                for (int k = 0; k < inputs; k++)
                    one.parts[t * inputs + k] = both.parts[((2 * part + t) * 2 + 1) * inputs + k];
            for (int t = 0; one.frames && t < 2; t++) one.frames[t] = both.frames[(2 * part + t) * 2 + 1];
            sac_gradient_forward(one.gradient, one.outputs, parameters, &one.batch, one.workspace);
            for (int t = 0; t < 2; t++)
                assert_memory_equal(one.outputs + (size_t)t * size,
                                    both.outputs + (size_t)((2 * part + t) * 2 + 1) * size, size * sizeof(float));
        }
        minibatch_destroy(&one);
        minibatch_destroy(&both);
        sac_policy_destroy(policy);
    }
}

// the tensors of the controller, which come after all that looks
static size_t first_of_controller(const sac_policy *policy)
{
    static const char *const names[] = {"lstm", "hidden", "output"};
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strncmp(sac_policy_tensor_at(policy, i)->name, names[k], strlen(names[k])) == 0)
                return sac_policy_tensor_at(policy, i)->offset;
    fail_msg("no controller");
    return 0;
}

// What a pass told the controller, given to another pass without any inputs: outputs and the controller's gradients are
// the same bits, and nothing else gets a gradient.
TEST(what_was_told_can_be_told_again)
{
    const float *told[4];
    for (int i = 0; i < GRADIENT_KINDS; i++)
    {
        sac_policy *policy = scene_any_policy(gradient_kinds[i]);
        const float *parameters = sac_policy_parameters(policy);
        minibatch m = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, 2, 2);
        minibatch again = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, 2, 2);
        minibatch_run(&m, parameters);
        const size_t size = (size_t)sac_gradient_told_size(m.gradient), first = first_of_controller(policy);
        for (size_t f = 0; f < 4; f++) told[f] = sac_gradient_told(m.gradient, &m.batch, m.workspace) + f * size;
        again.batch.frames = NULL;
        again.batch.parts = NULL;
        again.batch.told = told;
        minibatch_run(&again, parameters);
        assert_memory_equal(again.outputs, m.outputs, (size_t)(m.count * m.outputs_size) * sizeof(float));
        assert_memory_equal(again.sums + first, m.sums + first, ((size_t)m.parameters - first) * sizeof(float));
        for (size_t k = 0; k < first; k++) assert_true(again.sums[k] == 0);
        minibatch_destroy(&again);
        minibatch_destroy(&m);
        sac_policy_destroy(policy);
    }
}

TEST(backward_adds)
{
    sac_policy *policy = scene_any_policy(gradient_kinds[0]);
    minibatch m = minibatch_create(policy, SAC_CHOOSE_STRAIGHT, 2, 2), twice = minibatch_create(policy, 0, 2, 2);
    minibatch_run(&m, sac_policy_parameters(policy));
    for (int i = 0; i < m.parameters; i++) twice.sums[i] = 1;
    minibatch_run(&twice, sac_policy_parameters(policy));
    for (int i = 0; i < m.parameters; i++)
        assert_near((double)twice.sums[i], 1 + (double)m.sums[i], 0x1p-22 * (1 + fabs((double)m.sums[i])));
    minibatch_destroy(&twice);
    minibatch_destroy(&m);
    sac_policy_destroy(policy);
}

enum
{
    CROP_TOP = 13,
    CROP_HEIGHT = 30
};

// a policy of these settings whose first input is a picture of CROP_HEIGHT rows
static sac_policy *create_lower(const char *settings, const sac_policy *with_parameters)
{
    sac_policy *whole, *shape, *policy;
    assert_ok(scene_create(&whole, settings));
    sac_policy_def def = *sac_policy_get_def(whole);
    sac_space inputs[SAC_MAX_PARTS];
    memcpy(inputs, def.inputs, sizeof *inputs * (size_t)def.input_count);
    inputs[0].shape[0] = CROP_HEIGHT;
    def.inputs = inputs;
    assert_ok(sac_policy_create(&shape, &def));
    assert_ok(sac_policy_create_with(&policy, shape, sac_policy_parameters(with_parameters)));
    sac_policy_destroy(shape);
    sac_policy_destroy(whole);
    return policy;
}

// Outputs and gradients are those of a policy that is shown these rows alone. That acting crops as the forward pass
// does is what the comparison with acting says.
TEST(a_crop_is_the_picture_of_its_rows)
{
    static const char *const looks[] = {
        "kind=iap-trans,controller=mlp,attention=relu,patch=4,stride=0,motion=true",
        "kind=iap-rank,controller=linear,image_size=24,patch=4,stride=3,value_size=3",
        "controller=linear,top=4",
        "kind=cnn,controller=linear,conv_channels=4,conv_stride=2",
        "kind=iap-trans,inputs=depth,controller=linear,attention=relu",
        "kind=cnn,inputs=depth+state,controller=linear,conv_channels=3,image_size=20",
        "kind=cnn,controller=linear,conv_channels=4,conv_stride=2,conv_pool=2",
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
    {
        char settings[256];
        snprintf(settings, sizeof settings, "%s,crop_top=%d,crop_height=%d", looks[i], CROP_TOP, CROP_HEIGHT);
        sac_policy *cropped = scene_policy(settings, 3), *lower = create_lower(looks[i], cropped);
        check_forward(cropped, settings);
        minibatch m = minibatch_create(cropped, SAC_CHOOSE_STRAIGHT, STEPS, 1);
        minibatch rows = minibatch_create(lower, SAC_CHOOSE_STRAIGHT, STEPS, 1);
        const sac_policy_def *def = sac_policy_get_def(cropped);
        const size_t row = sac_space_bytes(&def->inputs[0]) / (size_t)def->inputs[0].shape[0];
        for (int t = 0; t < STEPS; t++)
        {
            const void **parts = rows.parts + (ptrdiff_t)t * def->input_count;
            memcpy(parts, m.parts + (ptrdiff_t)t * def->input_count, sizeof *parts * (size_t)def->input_count);
            parts[0] = (const uint8_t *)parts[0] + CROP_TOP * row;
            if (rows.frames) rows.frames[t] = parts[0];
        }
        minibatch_run(&m, sac_policy_parameters(cropped));
        minibatch_run(&rows, sac_policy_parameters(cropped));
        assert_memory_equal(m.outputs, rows.outputs, (size_t)(m.count * m.outputs_size) * sizeof(float));
        assert_memory_equal(m.sums, rows.sums, (size_t)m.parameters * sizeof(float));
        minibatch_destroy(&m);
        minibatch_destroy(&rows);
        sac_policy_destroy(cropped);
        sac_policy_destroy(lower);
    }
}

TEST(what_has_no_gradient_is_named)
{
    static const char *const refused[][2] = {
        {"selection=sample,attention=relu", "selection is sample"},
        {"key_period=3,attention=relu", "key_period is more than 1"},
        {"patch_features=positions+conv", "patch_features is positions+conv"},
    };
    sac_gradient *gradient;
    sac_gradient_def def = sac_gradient_default_def();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    {
        sac_policy *policy = scene_any_policy(refused[i][0]);
        assert_fails(sac_gradient_create(&gradient, policy, &def), SAC_ERROR_ARGUMENT, refused[i][1]);
        assert_null(gradient);
        sac_policy_destroy(policy);
    }
    sac_policy *policy = scene_any_policy("controller=linear");
    assert_fails(sac_gradient_create(&gradient, policy, &(sac_gradient_def){0}), SAC_ERROR_ARGUMENT,
                 "sac_gradient_default_def");
    assert_survives_lack_of_memory(sac_gradient_create(&gradient, policy, &def), sac_gradient_destroy(gradient));
    sac_policy_destroy(policy);
}

TESTS(forward_is_what_acting_computes, every_level_gives_the_same_bits, outputs_depend_on_their_own_sequence_alone,
      what_was_told_can_be_told_again, backward_adds, a_crop_is_the_picture_of_its_rows, what_has_no_gradient_is_named)
