#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "papers.h"
#include "saccade/policy.h"

/// Tang et al. 2020, the attention agent: how many parameters it has, and how its attention is scaled.

enum
{
    SIDE = 96,
    PIXELS = SIDE * SIDE * 3,
    PATCH_NUMBERS = 7 * 7 * 3
};

// The actions are 3 numbers for the car, and 1 for TakeCover's choice of three.
static sac_status create(sac_policy **out, int actions)
{
    static const float low[] = {-1, 0, 0}, high[] = {1, 1, 1}, choice_low[] = {0}, choice_high[] = {2};
    bool choice = actions == 1;
    sac_policy_def def = {.kind = "attention-agent",
                          .height = SIDE,
                          .width = SIDE,
                          .channels = 3,
                          .action_size = actions,
                          .action_choices = choice ? 3 : 0,
                          .action_low = choice ? choice_low : low,
                          .action_high = choice ? choice_high : high};
    return sac_policy_create(out, &def);
}

// Count the parameters of queries and keys, and all others.
static void count(const sac_policy *policy, int *attention, int *controller)
{
    *attention = *controller = 0;
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        bool looks = strncmp(tensor->name, "query.", 6) == 0 || strncmp(tensor->name, "key.", 4) == 0;
        *(looks ? attention : controller) += (int)sac_policy_tensor_size(tensor);
    }
}

static sac_status check_counts(theory_report *report)
{
    sac_policy *car, *cover;
    SAC_TRY(create(&car, 3));
    sac_status status = create(&cover, 1);
    if (status == SAC_OK)
    {
        int attention, controller, cover_attention, cover_controller;
        count(car, &attention, &controller);
        count(cover, &cover_attention, &cover_controller);
        theory_row *row = theory_claim(report, THEORY_PRINTED, "about 1200 parameters attend, about 2500 act");
        theory_predict(row, "within 2 %% (CarRacing)");
        theory_measure(row, "%d and %d", attention, controller);
        theory_judge(row, abs(attention - 1200) <= 24 && abs(controller - 2500) <= 50);
        row = theory_claim(report, THEORY_PRINTED, "fewer than 4000 in all");
        theory_predict(row, "CarRacing and TakeCover");
        int whole = attention + controller, cover_whole = cover_attention + cover_controller;
        theory_measure(row, "%d and %d", whole, cover_whole);
        theory_judge(row, whole < 4000 && cover_whole < 4000);
    }
    sac_policy_destroy(car);
    sac_policy_destroy(cover);
    return status;
}

// Find the worst difference of the agent's attention row from softmax(scale q.k).
static double row_miss(const sac_gaze *gaze, const float *weights, double scale)
{
    int n = gaze->rows * gaze->columns;
    double sum = 0, worst = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < n; j++)
        {
            double dot = 0;
            for (int d = 0; d < gaze->key_size; d++)
                dot += (double)gaze->queries[d] * (double)gaze->keys[j * gaze->key_size + d];
            if (pass == 0)
                sum += exp(scale * dot);
            else
                worst = fmax(worst, fabs(exp(scale * dot) / sum - (double)weights[j]) * n);
        }
    return worst;
}

// Take the first query of a fresh agent that looks at noise.
static sac_status check_scale(theory_report *report, sac_policy *policy, float *parameters, uint8_t *image,
                              float *weights)
{
    sac_policy_draw(policy, 1, parameters);
    // larger parameters, so that rows of attention are not flat
    for (int i = 0; i < sac_policy_parameter_count(policy); i++) parameters[i] *= 8;
    sac_stream stream = sac_stream_create(61, 0, 0);
    for (int i = 0; i < PIXELS; i++) image[i] = (uint8_t)sac_stream_below(&stream, 256);
    sac_policy_state *state;
    SAC_TRY(sac_policy_state_create(&state, policy));
    sac_policy_state_set_parameters(state, parameters);
    float action[3];
    sac_gaze gaze;
    sac_policy_act(state, image, action);
    sac_policy_gaze(state, &gaze);
    sac_policy_attention_row(state, 0, weights);
    double by_inputs = row_miss(&gaze, weights, 1 / sqrt(PATCH_NUMBERS));
    double by_keys = row_miss(&gaze, weights, 1 / sqrt(gaze.key_size));
    sac_policy_state_destroy(state);

    theory_row *row = theory_claim(report, THEORY_PRINTED,
                                   "attention is softmax(Q K^T / sqrt(d_in)), d_in = 147 numbers of "
                                   "a patch, not d = 4");
    theory_predict(row,
                   "the agent's first row, over its mean weight: to 1e-4; with 1/sqrt(d) it is off by more than 0.1");
    theory_measure(row, "%.0e; with 1/sqrt(d) %.1f", by_inputs, by_keys);
    theory_judge(row, by_inputs <= 1e-4 && by_keys > 0.1);
    return SAC_OK;
}

sac_status theory_agent_parameters(theory_report *report)
{
    SAC_TRY(check_counts(report));
    sac_policy *policy;
    SAC_TRY(create(&policy, 3));
    float *parameters = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(policy));
    float *weights = SAC_NEW_MATRIX(float, SIDE, SIDE);
    uint8_t *image = SAC_NEW_ARRAY(uint8_t, PIXELS);
    sac_status status = parameters && weights && image ? check_scale(report, policy, parameters, image, weights)
                                                       : sac_fail_memory("an agent");
    sac_free(parameters);
    sac_free(weights);
    sac_free(image);
    sac_policy_destroy(policy);
    return status;
}
