// Records an episode in the policy's own world and variant: episode POLICY SEED STEPS OUT [int8], each step's image and
// then its action as floats, which is what repeat.c gives an exported agent. OUT.look holds what a graph is held
// against beside that (onnx.py), as floats: of each step the patches kept, the hidden and the cell state, what motion
// remembers.

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "policy/parts.h"
#include "saccade/env.h"
#include "saccade/export.h"

static uint8_t image[1 << 20];
static float action[64];

static void write_look(const sac_policy_state *state, FILE *look)
{
    sac_policy_parts p;
    state->policy->ops->parts(state, &p);
    for (int k = 0; p.reading == SAC_PARTS_RANK && k < p.agent->config.top; k++)
    {
        float patch = (float)p.agent_state->top[k];
        fwrite(&patch, sizeof patch, 1, look);
    }
    const sac_controller *c = &p.actor->controller;
    if (c->has_cell) fwrite(p.actor_state->hidden, sizeof(float), (size_t)c->hidden, look);
    if (c->has_cell) fwrite(p.actor_state->cell, sizeof(float), (size_t)c->hidden, look);
    if (p.actor->motion) fwrite(p.actor_state->before, sizeof(float), (size_t)p.actor->told_count, look);
}

static sac_status drive(const sac_policy *policy, sac_env *env, uint64_t seed, int most, FILE *out, FILE *look)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    size_t pixels = (size_t)def->height * (size_t)def->width * (size_t)def->channels;
    size_t actions = (size_t)def->action_size;
    double reward, sum = 0;
    uint8_t terminated = 0, truncated = 0;
    sac_env_row row = {action, (void *const[SAC_MAX_PARTS]){image}, &reward, &terminated, &truncated};
    sac_policy_state *state;
    if (!policy->ops->exported) return sac_fail(SAC_ERROR_UNAVAILABLE, "policies of this kind are not exported");
    sac_status status = sac_policy_state_create(&state, policy);
    if (status == SAC_OK) status = sac_env_reset(env, seed, &row);
    int step = 0;
    for (; status == SAC_OK && step < most && !terminated && !truncated; step++)
    {
        fwrite(image, 1, pixels, out);
        sac_policy_act(state, image, action);
        fwrite(action, sizeof(float), actions, out);
        write_look(state, look);
        status = sac_env_step(env, &row);
        sum += reward;
    }
    if (status == SAC_OK)
        printf("%d steps, return %.1f, of a step %zu bytes and %zu actions\n", step, sum, pixels, actions);
    sac_policy_state_destroy(state);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    sac_policy *given = NULL, *rounded = NULL;
    sac_policy_info info = {0};
    sac_env *env = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s.look", argv[4]);
    FILE *out = fopen(argv[4], "wb"), *look = fopen(path, "wb");
    sac_status status = out && look ? sac_policy_load(&given, &info, argv[1]) : SAC_ERROR_FILE;
    if (status == SAC_OK && argc > 5) status = sac_export_round(&rounded, given);
    sac_env_def def = {.id = info.environment,
                       .variant = info.variant[0] ? info.variant : NULL,
                       .settings = info.settings,
                       .setting_count = info.setting_count};
    if (status == SAC_OK) status = sac_env_create(&env, &def);
    if (status == SAC_OK)
        status = drive(rounded ? rounded : given, env, strtoull(argv[2], NULL, 10), atoi(argv[3]), out, look);
    if (status != SAC_OK) fprintf(stderr, "%s\n", sac_last_error());
    sac_env_destroy(env);
    sac_policy_destroy(rounded);
    sac_policy_destroy(given);
    sac_policy_info_clear(&info);
    if (out && fclose(out) != 0) return 1;
    if (look && fclose(look) != 0) return 1;
    return status != SAC_OK;
}
