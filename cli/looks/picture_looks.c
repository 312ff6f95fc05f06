#include "looks/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "play/play.h"
#include "saccade/tokens.h"

enum
{
    MAX_PATCHES = 8192,
    REPEATS = 5,
    STEPS = 60, // after which the picture is taken
};

static const double enough = 0.02; // seconds of one measurement

static int number(const sac_policy_def *def, const char *key)
{
    for (int i = 0; i < def->setting_count; i++)
        if (strcmp(def->settings[i].key, key) == 0) return atoi(def->settings[i].value); // written by us
    return 0;
}

// tensors of the same size as the policy's own are taken from it
static void copy_tensors(const sac_policy *shape, const sac_policy *policy, float *parameters)
{
    for (int i = 0; i < sac_policy_tensor_count(shape); i++)
    {
        const sac_policy_tensor *to = sac_policy_tensor_at(shape, i), *from = sac_policy_tensor_at(policy, i);
        if (sac_policy_tensor_size(to) == sac_policy_tensor_size(from))
            memcpy(parameters + to->offset, sac_policy_parameters(policy) + from->offset,
                   sac_policy_tensor_size(to) * sizeof *parameters);
    }
}

// the policy for square pictures of another side
static sac_status resize(sac_policy **out, const sac_policy *policy, int side)
{
    sac_policy_def def = *sac_policy_get_def(policy);
    sac_setting *settings = calloc((size_t)def.setting_count + 1, sizeof *settings);
    if (!settings) return sac_fail_memory("a policy");
    memcpy(settings, def.settings, (size_t)def.setting_count * sizeof *settings);
    settings[def.setting_count] = (sac_setting){"image_size", "0"};
    def.settings = settings, def.setting_count++;
    def.inputs = NULL, def.height = def.width = side;
    sac_policy *shape;
    sac_status status = sac_policy_create(&shape, &def);
    free(settings);
    if (status != SAC_OK) return status;
    float *parameters = calloc((size_t)sac_policy_parameter_count(shape), sizeof *parameters);
    if (!parameters) status = sac_fail_memory("a policy");
    if (parameters)
    {
        sac_policy_draw(shape, 1, parameters);
        copy_tensors(shape, policy, parameters);
        status = sac_policy_create_with(out, shape, parameters);
    }
    free(parameters);
    sac_policy_destroy(shape);
    return status;
}

// one measurement
static double time_of(sac_policy_state *state, const uint8_t *image, float *action)
{
    double begin = sac_clock(), now;
    int looks = 0;
    do
    {
        sac_policy_act(state, image, action);
        looks++;
        now = sac_clock();
    } while (now - begin < enough);
    return (now - begin) / looks;
}

// a picture in bytes, square
typedef struct picture
{
    uint8_t *bytes;
    int side;
} picture;

// The two take turns, so that other load on the machine slows both alike, and the best of each counts.
static sac_status time_policies(const sac_policy *const policies[2], const uint8_t *image, double seconds[2])
{
    sac_policy_state *states[2] = {0};
    const int actions = sac_policy_get_def(policies[0])->action_size; // they act in the same world
    float *action = calloc((size_t)actions, sizeof *action);
    sac_status status = action ? SAC_OK : sac_fail_memory("an action");
    for (int i = 0; status == SAC_OK && i < 2; i++) status = sac_policy_state_create(&states[i], policies[i]);
    seconds[0] = seconds[1] = INFINITY;
    for (int i = 0; status == SAC_OK && i < 2 * REPEATS; i++)
        seconds[i % 2] = fmin(seconds[i % 2], time_of(states[i % 2], image, action));
    for (int i = 0; i < 2; i++) sac_policy_state_destroy(states[i]);
    free(action);
    return status;
}

// Hands out what the policy sees after some steps of the first episode, [height, width, channels], released by free.
static sac_status see(const sac_policy *policy, const sac_env_def *env, uint8_t **out)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    const size_t size = (size_t)def->height * (size_t)def->width * (size_t)def->channels;
    sac_play play = {0};
    *out = malloc(size);
    sac_status status = *out ? sac_play_open(&play, policy, env, SAC_PLAY_INPUTS) : sac_fail_memory("a picture");
    if (status == SAC_OK) status = sac_play_reset(&play, 0);
    for (int i = 0; status == SAC_OK && i < STEPS && !sac_play_ended(&play); i++)
    {
        status = sac_play_decide(&play);
        if (status == SAC_OK) status = sac_play_step(&play);
    }
    if (status == SAC_OK && *out && play.inputs[0]) memcpy(*out, play.inputs[0], size);
    sac_play_close(&play);
    return status;
}

// a camera's: up to 3 of 255
static void add_noise(uint8_t *bytes, size_t count)
{
    sac_stream stream = sac_stream_create(1, 0, 0);
    for (size_t i = 0; i < count; i++)
    {
        int value = bytes[i] + (int)sac_stream_below(&stream, 7) - 3;
        bytes[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

static sac_status enlarge(picture *out, const uint8_t *seen, const sac_policy_def *def)
{
    sac_resize *plan;
    const sac_image image = sac_image_of(seen, def->height, def->width, def->channels, SAC_PIXELS_PLAIN);
    sac_status status =
        sac_resize_create(&plan, def->height, def->width, def->channels, out->side, out->side, SAC_RESIZE_BILINEAR);
    if (status != SAC_OK) return status;
    void *workspace = sac_alloc(sac_resize_workspace_size(plan));
    out->bytes = malloc((size_t)out->side * (size_t)out->side * (size_t)def->channels);
    status = workspace && out->bytes ? SAC_OK : sac_fail_memory("a picture");
    if (status == SAC_OK) sac_resize_run(plan, out->bytes, &image, workspace);
    if (status == SAC_OK) add_noise(out->bytes, (size_t)out->side * (size_t)out->side * (size_t)def->channels);
    sac_free(workspace);
    sac_resize_destroy(plan);
    return status;
}

static sac_status time_resized(const sac_policy *const policies[2], const uint8_t *seen, int side, cli_look *look)
{
    picture image = {.side = side};
    sac_policy *large[2] = {0};
    sac_status status = enlarge(&image, seen, sac_policy_get_def(policies[0]));
    for (int i = 0; status == SAC_OK && i < 2; i++) status = resize(&large[i], policies[i], side);
    if (status == SAC_OK)
        status = time_policies((const sac_policy *const[]){large[0], large[1]}, image.bytes, look->seconds);
    for (int i = 0; i < 2; i++) sac_policy_destroy(large[i]);
    free(image.bytes);
    return status;
}

sac_status cli_time_looks(const sac_policy *first, const sac_policy *second, const sac_env_def *env, cli_look *looks,
                          int *count)
{
    const sac_policy *const policies[2] = {first, second};
    const sac_policy_def *def = sac_policy_get_def(first);
    int patch = number(def, "patch"), stride = number(def, "stride");
    if (patch < 1) patch = 1;
    if (stride < 1) stride = patch; // no overlap
    const int size = number(def, "image_size"), height = size ? size : def->height, width = size ? size : def->width;
    const int own = ((height - patch) / stride + 1) * ((width - patch) / stride + 1);
    uint8_t *seen = NULL;
    *count = 0;
    sac_status status = see(first, env, &seen);
    looks[0] = (cli_look){.patches = own};
    if (status == SAC_OK) status = time_policies(policies, seen, looks[0].seconds);
    ++*count;
    for (int n = own; status == SAC_OK && n <= MAX_PATCHES && *count < CLI_MAX_LOOKS; n *= 2, ++*count)
    {
        const int rows = (int)ceil(sqrt(n));
        looks[*count] = (cli_look){.patches = rows * rows, .noisy = true};
        status = time_resized(policies, seen, (rows - 1) * stride + patch, &looks[*count]);
    }
    free(seen);
    return status;
}
