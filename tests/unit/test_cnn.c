#include <float.h>

#include "base/memory.h"

#include "failing_memory.h"
#include "policy_scene.h"

/// Policies of kind cnn: convolutions over the whole image, the baseline.

enum
{
    KERNEL = 5,
    STRIDE = 3,
    LAYERS = 3,
    MAX_IMAGE = SCENE_SIZE
};

static const int channels[LAYERS + 1] = {3, 6, 5, 4};

/// An image [side, side, channels] with a bound on what rounding may have changed in each number.
typedef struct plain_image
{
    int side, channels;
    double value[MAX_IMAGE], error[MAX_IMAGE];
} plain_image;

// relu(W x + b), straight from the formula; an inner product of n floats is off by n roundings of its parts at most
static void convolve(plain_image *out, const plain_image *in, const float *bias, const float *weight, int outputs)
{
    int count = KERNEL * KERNEL * in->channels, width = KERNEL * in->channels;
    out->side = (in->side - KERNEL) / STRIDE + 1;
    out->channels = outputs;
    for (int y = 0; y < out->side; y++)
        for (int x = 0; x < out->side; x++)
            for (int o = 0; o < outputs; o++)
            {
                double sum = bias[o], size = fabs((double)bias[o]), error = 0;
                for (int i = 0; i < count; i++)
                {
                    int row = y * STRIDE + i / width;
                    int at = (row * in->side + x * STRIDE) * in->channels + i % width;
                    double w = (double)weight[o * count + i];
                    sum += w * in->value[at];
                    size += fabs(w * in->value[at]);
                    error += fabs(w) * in->error[at];
                }
                int to = (y * out->side + x) * outputs + o;
                out->value[to] = fmax(sum, 0);
                out->error[to] = error + (count + 2) * (double)FLT_EPSILON * size;
            }
}

// the largest of each square of pixels; two maxima differ by no more than the numbers that they are of
static void pool(plain_image *image, int side)
{
    const int from = image->side, depth = image->channels;
    image->side = from / side;
    for (int y = 0; y < image->side; y++)
        for (int x = 0; x < image->side; x++)
            for (int c = 0; c < depth; c++)
            {
                double value = -INFINITY, error = 0;
                for (int i = 0; i < side * side; i++)
                {
                    int at = ((y * side + i / side) * from + x * side + i % side) * depth + c;
                    value = fmax(value, image->value[at]);
                    error = fmax(error, image->error[at]);
                }
                image->value[(y * image->side + x) * depth + c] = value;
                image->error[(y * image->side + x) * depth + c] = error;
            }
}

static const float *layer_of(const sac_policy *policy, int index, const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "conv%d.%s", index, what);
    return scene_tensor(policy, name);
}

// what the controller is told, beside the formula, with a pooling side behind each layer
static void check_features(const char *settings, const int *pools, int layers)
{
    sac_policy *policy = scene_policy(settings, 3);
    sac_policy_state *state;
    static float image[SCENE_SIZE], action[3];
    static plain_image images[LAYERS + 1];
    fill_uniform(image, SCENE_SIZE, 9);
    images[0].side = SCENE_SIDE;
    images[0].channels = 3;
    for (int i = 0; i < SCENE_SIZE; i++)
    {
        image[i] = 0.5f + 0.5f * image[i];
        images[0].value[i] = (double)image[i];
        images[0].error[i] = 0;
    }
    for (int i = 0; i < layers; i++)
    {
        convolve(&images[i + 1], &images[i], layer_of(policy, i, "bias"), layer_of(policy, i, "weight"),
                 channels[i + 1]);
        pool(&images[i + 1], pools[i]);
    }

    assert_ok(sac_policy_state_create(&state, policy));
    sac_policy_act_float(state, image, action);
    sac_gaze gaze;
    sac_policy_gaze(state, &gaze);
    const plain_image *last = &images[layers];
    assert_int_equal(gaze.told_count, last->side * last->side * last->channels);
    double largest = 0;
    for (int i = 0; i < gaze.told_count; i++)
    {
        assert_near((double)gaze.told[i], last->value[i], last->error[i]);
        largest = fmax(largest, last->value[i]);
    }
    assert_true(largest > 0);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(features_are_those_of_the_formula)
{
    check_features("kind=cnn,conv_channels=6:5:4", (const int[]){1, 1, 1}, 3);
}

// 96 pixels give 31, which pooled are 15; those give 4, which pooled are 2. What fills no square is left out
TEST(features_are_pooled)
{
    check_features("kind=cnn,conv_channels=6:5,conv_pool=2", (const int[]){2, 2}, 2);
    check_features("kind=cnn,conv_channels=6:5,conv_pool=0:4", (const int[]){1, 4}, 2);
    check_features("kind=cnn,conv_channels=6,conv_pool=5", (const int[]){5}, 1);
    check_features("kind=cnn,conv_channels=6:5,conv_pool=3:1", (const int[]){3, 1}, 2);
}

TEST(it_has_no_attention)
{
    sac_policy *policy = scene_policy("kind=cnn,controller=linear", 3);
    sac_policy_state *state;
    uint8_t *image = sac_alloc(SCENE_SIZE);
    float action[3], weights[1];
    assert_ok(sac_policy_state_create(&state, policy));
    for (int i = 0; i < SCENE_SIZE; i++) image[i] = (uint8_t)(i * 7);
    sac_policy_act(state, image, action);
    sac_gaze gaze;
    sac_policy_gaze(state, &gaze);
    assert_null(gaze.importance);
    assert_null(gaze.top);
    assert_int_equal(gaze.rows, 0);
    assert_int_equal(gaze.kept, 0);
    assert_false(sac_policy_attention_row(state, 0, weights));
    assert_false(sac_policy_patch(state, 0, weights));
    for (int i = 0; i < 3; i++) assert_true(action[i] >= (i ? 0 : -1) && action[i] <= 1);
    sac_free(image);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(parameters_are_counted)
{
    sac_policy *policy = scene_policy("kind=cnn,conv_channels=8:4,conv_kernel=4,conv_stride=4,controller=linear", 1);
    // 96 -> 24 -> 6
    assert_int_equal(sac_policy_parameter_count(policy), 8 * (48 + 1) + 4 * (128 + 1) + 3 * (6 * 6 * 4 + 1));
    sac_policy_destroy(policy);
}

TEST(bad_layers_are_named)
{
    sac_policy *policy;
    assert_fails(scene_create(&policy, "kind=cnn,conv_channels=8:x"), SAC_ERROR_ARGUMENT, "conv_channels is '8,x'");
    assert_fails(scene_create(&policy, "kind=cnn,conv_channels=8:8:8:8:8"), SAC_ERROR_ARGUMENT, "1 to 4 layers");
    assert_fails(scene_create(&policy, "kind=cnn,conv_channels=8:8:8:8"), SAC_ERROR_ARGUMENT,
                 "layer 4 of conv_channels '8,8,8,8' gets 2 x 2 pixels");
    assert_fails(scene_create(&policy, "kind=cnn,image_size=4"), SAC_ERROR_ARGUMENT, "larger than the image");
    assert_fails(scene_create(&policy, "kind=cnn,top=3"), SAC_ERROR_ARGUMENT, "top");
    static const char *const pools[] = {"2:2", "2:x:1", "17", "-1", "2:2:2:2", ""};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
    {
        char settings[64];
        snprintf(settings, sizeof settings, "kind=cnn,conv_pool=%s", pools[i]);
        assert_fails(scene_create(&policy, settings), SAC_ERROR_ARGUMENT, "expected a side of 0 to 16 pixels");
    }
    assert_fails(scene_create(&policy, "kind=cnn,conv_pool=1:1:4"), SAC_ERROR_ARGUMENT,
                 "layer 3 of conv_channels '8,8,8' gives 2 x 2 pixels, fewer than its conv_pool 4");
    assert_fails(scene_create(&policy, "kind=cnn,conv_pool=2:4:1"), SAC_ERROR_ARGUMENT,
                 "layer 3 of conv_channels '8,8,8' gets 1 x 1 pixels");
}

TEST(lack_of_memory_is_survived)
{
    sac_policy *policy = NULL;
    assert_survives_lack_of_memory(scene_create(&policy, "kind=cnn"), sac_policy_destroy(policy));
}

TESTS(features_are_those_of_the_formula, features_are_pooled, it_has_no_attention, parameters_are_counted,
      bad_layers_are_named, lack_of_memory_is_survived)
