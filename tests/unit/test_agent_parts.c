#include "policy_scene.h"

#include <float.h>

static uint8_t image[SCENE_SIZE];

TEST(parameters_follow_from_the_shapes)
{
    enum
    {
        ATTENTION = 2 * (4 * 147 + 4)
    };
    assert_int_equal(scene_count("controller=linear"), ATTENTION + 3 * 20 + 3);
    assert_int_equal(scene_count("controller=mlp"), ATTENTION + 16 * 20 + 16 + 3 * 16 + 3);
    assert_int_equal(scene_count("controller=mlp,hidden=5,top=3"), ATTENTION + 5 * 6 + 5 + 3 * 5 + 3);
    assert_int_equal(scene_count("key_size=8,patch=5,controller=linear"), 2 * (8 * 75 + 8) + 3 * 20 + 3);
    assert_int_equal(scene_count("patch_features=histogram,bins=6,controller=linear"), ATTENTION + 3 * (10 * 18) + 3);
    // 7 -> 3 -> 1 pixels a side, 3 -> 4 -> 2 channels
    assert_int_equal(scene_count("patch_features=conv,controller=linear"),
                     ATTENTION + (4 * 27 + 4) + (2 * 36 + 2) + 3 * (10 * 2) + 3);
    assert_int_equal(scene_count("patch_features=positions+conv,conv_channels=5,conv_stride=1,controller=linear"),
                     ATTENTION + (5 * 27 + 5) + 3 * (10 * (2 + 5 * 5 * 5)) + 3);
}

typedef struct seen
{
    sac_policy *policy;
    sac_policy_state *state;
    sac_gaze gaze;
    float action[3];
} seen;

static seen look(const char *settings)
{
    seen s = {.policy = scene_policy(settings, 9)};
    s.state = scene_state(s.policy);
    scene_image(image, 4);
    sac_policy_act(s.state, image, s.action);
    sac_policy_gaze(s.state, &s.gaze);
    return s;
}

static void forget(seen *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
}

TEST(positions_may_stay_pixels)
{
    seen s = look("normalise_positions=false");
    for (int i = 0; i < 20; i++) assert_true(s.gaze.told[i] == s.gaze.centers[i]);
    forget(&s);
}

TEST(histograms_count_pixels)
{
    enum
    {
        BINS = 5
    };
    seen s = look("patch_features=histogram,bins=5");
    assert_int_equal(s.gaze.told_count, 10 * 3 * BINS);
    for (int k = 0; k < 10; k++)
    {
        float patch[147];
        int counts[3 * BINS] = {0};
        assert_true(sac_policy_patch(s.state, s.gaze.top[k], patch));
        for (int i = 0; i < 147; i++)
        {
            int bin = (int)((double)patch[i] * BINS);
            counts[i % 3 * BINS + (bin < BINS ? bin : BINS - 1)]++;
        }
        for (int i = 0; i < 3 * BINS; i++) assert_true(s.gaze.told[k * 3 * BINS + i] == (float)counts[i] / 49.0f);
    }
    forget(&s);
}

// PyTorch's Conv2d: weights [out, in, row, column]
static void convolve(double *out, const double *in, const float *weight, const float *bias, int side, int in_channels,
                     int out_channels)
{
    int out_side = (side - 3) / 2 + 1;
    for (int o = 0; o < out_channels; o++)
        for (int y = 0; y < out_side; y++)
            for (int x = 0; x < out_side; x++)
            {
                double sum = (double)bias[o];
                for (int c = 0; c < in_channels; c++)
                    for (int i = 0; i < 3; i++)
                        for (int j = 0; j < 3; j++)
                            sum += (double)weight[((o * in_channels + c) * 3 + i) * 3 + j] *
                                   in[((2 * y + i) * side + 2 * x + j) * in_channels + c];
                out[(y * out_side + x) * out_channels + o] = tanh(sum);
            }
}

TEST(convolutions_are_those_of_pytorch)
{
    seen s = look("patch_features=positions+conv");
    assert_int_equal(s.gaze.told_count, 10 * 4);
    for (int k = 0; k < 10; k++)
    {
        float patch[147];
        double pixels[147], middle[3 * 3 * 4], out[2];
        assert_true(sac_policy_patch(s.state, s.gaze.top[k], patch));
        for (int i = 0; i < 147; i++) pixels[i] = (double)patch[i];
        convolve(middle, pixels, scene_tensor(s.policy, "conv0.weight"), scene_tensor(s.policy, "conv0.bias"), 7, 3, 4);
        convolve(out, middle, scene_tensor(s.policy, "conv1.weight"), scene_tensor(s.policy, "conv1.bias"), 3, 4, 2);
        const float *got = s.gaze.told + 4 * k;
        assert_true(got[0] == s.gaze.centers[2 * k] / 96);
        // values below 1, weights below 0.2: 27 and 36 roundings of sums below 6, and tanh does not enlarge an error
        for (int i = 0; i < 2; i++) assert_near(got[2 + i], out[i], (27 + 36 + 8) * 6 * (double)FLT_EPSILON / 2);
    }
    forget(&s);
}

static double dot(const float *weight, const float *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)weight[i] * (double)x[i];
    return sum;
}

TEST(linear_is_one_layer)
{
    seen s = look("controller=linear");
    assert_null(s.gaze.hidden);
    for (int o = 0; o < 3; o++)
    {
        double sum = (double)scene_tensor(s.policy, "output.bias")[o] +
                     dot(scene_tensor(s.policy, "output.weight") + 20 * o, s.gaze.told, 20);
        assert_near(s.gaze.output[o], tanh(sum), 24 * 6 * (double)FLT_EPSILON / 2);
    }
    forget(&s);
}

TEST(mlp_is_two_layers)
{
    seen s = look("controller=mlp,hidden=7,activation=none");
    assert_int_equal(s.gaze.hidden_size, 7);
    assert_null(s.gaze.cell);
    float hidden[7];
    for (int h = 0; h < 7; h++)
        hidden[h] = (float)tanh((double)scene_tensor(s.policy, "hidden.bias")[h] +
                                dot(scene_tensor(s.policy, "hidden.weight") + 20 * h, s.gaze.told, 20));
    for (int h = 0; h < 7; h++) assert_near(s.gaze.hidden[h], hidden[h], 24 * 6 * (double)FLT_EPSILON / 2);
    for (int o = 0; o < 3; o++)
    {
        double sum = (double)scene_tensor(s.policy, "output.bias")[o] +
                     dot(scene_tensor(s.policy, "output.weight") + 7 * o, s.gaze.hidden, 7);
        assert_near(s.gaze.output[o], sum, 8 * 3 * (double)FLT_EPSILON);
        // none: in the environment's own unit, cut at its bounds
        double low = o ? 0 : -1, cut = fmin(1, fmax(low, (double)s.gaze.output[o]));
        assert_true((double)s.action[o] == cut);
    }
    forget(&s);
}

TEST(a_resized_observation_is_an_observation)
{
    static uint8_t large[40 * 30 * 3];
    static const float low[] = {-1}, high[] = {1};
    for (size_t i = 0; i < sizeof large; i++) large[i] = (uint8_t)(i * i >> 4);
    const sac_setting settings[] = {{"image_size", "24"}, {"top", "3"}};
    sac_policy_def def = {"attention-agent", settings, 2, 40, 30, 3, 1, 0, low, high, NULL, 0};
    sac_policy *policy;
    assert_ok(sac_policy_create(&policy, &def));
    sac_policy_state *s = scene_state(policy);
    float action, patch[147];
    sac_gaze gaze;
    sac_policy_act(s, large, &action);
    sac_policy_gaze(s, &gaze);
    assert_int_equal(gaze.height, 24);
    assert_int_equal(gaze.width, 24);
    assert_int_equal(gaze.rows * gaze.columns, 25);
    // all patches are equal in importance for weights of zero: the first ones are kept
    for (int k = 0; k < 3; k++) assert_int_equal(gaze.top[k], k);
    assert_true(sac_policy_patch(s, 24, patch));
    for (int i = 0; i < 147; i++) assert_true(patch[i] >= 0 && patch[i] <= 1);
    sac_policy_state_destroy(s);
    sac_policy_destroy(policy);
}

TEST(mistakes_are_named)
{
    sac_policy *policy;
    assert_fails(scene_create(&policy, "attention=sotfmax"), SAC_ERROR_ARGUMENT, "did you mean 'softmax'?");
    assert_null(policy);
    assert_fails(scene_create(&policy, "controller=lsmt"), SAC_ERROR_ARGUMENT, "did you mean 'lstm'?");
    assert_fails(scene_create(&policy, "patch_features=positions+hstogram"), SAC_ERROR_ARGUMENT,
                 "did you mean 'histogram'?");
    assert_fails(scene_create(&policy, "patch_features=conv+conv"), SAC_ERROR_ARGUMENT, "twice");
    assert_fails(scene_create(&policy, "patch_features=positions+"), SAC_ERROR_ARGUMENT, "features");
    assert_fails(scene_create(&policy, "strid=3"), SAC_ERROR_ARGUMENT, "did you mean 'stride'?");
    assert_fails(scene_create(&policy, "image_size=6"), SAC_ERROR_ARGUMENT, "patch");
    assert_fails(scene_create(&policy, "crop_top=96"), SAC_ERROR_ARGUMENT, "crop_top is 96");
    assert_fails(scene_create(&policy, "crop_top=60,crop_height=37"), SAC_ERROR_ARGUMENT, "has 96 rows");
    assert_fails(scene_create(&policy, "crop_top=90"), SAC_ERROR_ARGUMENT, "patch");
    assert_fails(scene_create(&policy, "stride=64,top=5"), SAC_ERROR_ARGUMENT, "top is 5");
    assert_fails(scene_create(&policy, "top=129"), SAC_ERROR_ARGUMENT, "top");
    assert_fails(scene_create(&policy, "choice=threshold"), SAC_ERROR_ARGUMENT, "threshold");
    assert_fails(scene_create(&policy, "attention=positive,attention_features=0"), SAC_ERROR_ARGUMENT, "feature_count");
    static const char *const bad[] = {"patch_features=conv,conv_channels=", "patch_features=conv,conv_channels=0",
                                      "patch_features=conv,conv_channels=4:x",
                                      "patch_features=conv,conv_channels=1:1:1:1:1",
                                      "patch_features=conv,conv_channels=4:2:2"};
    for (int i = 0; i < 5; i++) assert_fails(scene_create(&policy, bad[i]), SAC_ERROR_ARGUMENT, "conv_channels");

    const sac_setting none = {"activation", "none"};
    const float low[] = {-INFINITY}, high[] = {INFINITY};
    sac_policy_def def = {"attention-agent", NULL, 0, 96, 96, 3, 1, 0, low, high, NULL, 0};
    assert_fails(sac_policy_create(&policy, &def), SAC_ERROR_ARGUMENT, "activation must be none");
    def.settings = &none, def.setting_count = 1;
    assert_ok(sac_policy_create(&policy, &def));
    sac_policy_destroy(policy);
    def.kind = "attention-agnet";
    assert_fails(sac_policy_create(&policy, &def), SAC_ERROR_ARGUMENT, "did you mean 'attention-agent'?");
    def.kind = "attention-agent", def.width = 0;
    assert_fails(sac_policy_create(&policy, &def), SAC_ERROR_ARGUMENT, "observation");
}

// patches side by side, whatever their size
TEST(a_stride_of_zero_is_the_patch)
{
    static const char *const settings[] = {"patch=4,stride=0", "patch=8,stride=0"};
    for (int i = 0; i < 2; i++)
    {
        sac_policy *policy = scene_policy(settings[i], 1);
        sac_policy_state *state = scene_state(policy);
        sac_gaze gaze;
        sac_policy_gaze(state, &gaze);
        assert_int_equal(gaze.stride, gaze.patch);
        assert_int_equal(gaze.rows * gaze.patch, SCENE_SIDE);
        assert_int_equal(gaze.columns * gaze.patch, SCENE_SIDE);
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
}

// how the features have changed, nothing in an episode's first step
TEST(motion_is_the_change_of_features)
{
    const char *const kinds[] = {"motion=true,masking=true",
                                 "motion=true,patch_features=values+positions,normaliser=true",
                                 "kind=iap-trans,attention=relu,motion=true"};
    for (int k = 0; k < 3; k++)
    {
        seen s = look(kinds[k]);
        int count = s.gaze.told_count / 2;
        float *before = malloc((size_t)count * sizeof *before);
        assert_non_null(before);
        for (int i = 0; i < count; i++) assert_true(s.gaze.told[count + i] == 0);
        memcpy(before, s.gaze.told, (size_t)count * sizeof *before);
        scene_image(image, 5);
        sac_policy_act(s.state, image, s.action);
        sac_policy_gaze(s.state, &s.gaze);
        int moved = 0;
        for (int i = 0; i < count; i++)
        {
            assert_true(s.gaze.told[count + i] == s.gaze.told[i] - before[i]);
            moved += s.gaze.told[count + i] != 0;
        }
        assert_true(moved > 0);
        sac_policy_state_reset(s.state);
        sac_policy_act(s.state, image, s.action);
        sac_policy_gaze(s.state, &s.gaze);
        for (int i = 0; i < count; i++) assert_true(s.gaze.told[count + i] == 0);
        free(before);
        forget(&s);
    }
}

TESTS(motion_is_the_change_of_features, a_stride_of_zero_is_the_patch, parameters_follow_from_the_shapes,
      positions_may_stay_pixels, histograms_count_pixels, convolutions_are_those_of_pytorch, linear_is_one_layer,
      mlp_is_two_layers, a_resized_observation_is_an_observation, mistakes_are_named)
