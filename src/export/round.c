#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "export/round.h"
#include "policy/kind.h"
#include "saccade/export.h"

// Symmetric rounding: 0 stays 0, and the largest magnitude of a row becomes 127.
float sac_round_scale(const float *row, int count)
{
    float largest = 0;
    for (int i = 0; i < count; i++) largest = fmaxf(largest, fabsf(row[i]));
    return largest / 127.0f;
}

int sac_round_step(float x, float scale)
{
    if (!(scale > 0)) return 0;
    double steps = nearbyint((double)x / (double)scale);
    return steps < -127 ? -127 : steps > 127 ? 127 : (int)steps;
}

// The first index of a tensor numbers its rows; vectors stay as they are.
// Biases and gains are few, and errors in them reach every output, so that vectors keep their floats.
static void round_tensor(const sac_policy_tensor *tensor, float *parameters)
{
    if (tensor->rank < 2) return;
    int columns = (int)(sac_policy_tensor_size(tensor) / (size_t)tensor->shape[0]);
    for (int r = 0; r < tensor->shape[0]; r++)
    {
        float *row = parameters + tensor->offset + (size_t)r * (size_t)columns, scale = sac_round_scale(row, columns);
        for (int i = 0; i < columns; i++) row[i] = (float)sac_round_step(row[i], scale) * scale;
    }
}

sac_status sac_export_round(sac_policy **out, const sac_policy *policy)
{
    *out = NULL;
    size_t size = (size_t)policy->parameter_count;
    float *parameters = SAC_NEW_ARRAY(float, size);
    if (!parameters) return sac_fail_memory("a rounded policy");
    memcpy(parameters, policy->parameters, size * sizeof(float));
    for (int i = 0; i < policy->tensor_count; i++) round_tensor(&policy->tensors[i], parameters);
    sac_status status = sac_policy_create_with(out, policy, parameters);
    sac_free(parameters);
    return status;
}
