#include "ppo/head.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "policy/kind.h"

sac_status sac_action_head_plan(sac_action_head *h, const sac_policy *policy, int outputs, double logit_scale)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    *h = (sac_action_head){.kind = def->action_choices == 0         ? SAC_HEAD_BOX
                                   : outputs == def->action_choices ? SAC_HEAD_CHOICE
                                                                    : SAC_HEAD_THRESHOLD,
                           .outputs = outputs,
                           .actions = def->action_size,
                           .choices = def->action_choices,
                           .low = def->action_low,
                           .high = def->action_high};
    h->size = h->kind == SAC_HEAD_CHOICE ? 1 : outputs;
    h->logs = h->kind == SAC_HEAD_CHOICE ? 0 : outputs;
    h->units = SAC_NEW_ARRAY(float, (size_t)outputs);
    if (!h->units) return sac_fail_memory("a distribution of actions");
    for (int o = 0; o < outputs; o++)
    {
        float half = h->kind == SAC_HEAD_BOX ? (h->high[o] - h->low[o]) / 2 : 1;
        h->units[o] = half > 0 && isfinite(half) ? half : 1;
        if (h->kind == SAC_HEAD_CHOICE) h->units[o] = (float)(1 / logit_scale);
    }
    return SAC_OK;
}

void sac_action_head_clear(sac_action_head *h)
{
    sac_free(h->units);
    h->units = NULL;
}

void sac_action_head_scale(const sac_action_head *h, float *outputs, int rows)
{
    for (int i = 0; i < rows; i++, outputs += h->outputs)
        for (int o = 0; o < h->outputs; o++) outputs[o] /= h->units[o];
}

// the first choice whose sum of shares passes u
static int choose(const float *logits, int count, double u)
{
    double largest = (double)logits[0], total = 0, sum = 0;
    for (int i = 1; i < count; i++) largest = fmax(largest, (double)logits[i]);
    for (int i = 0; i < count; i++) total += sac_series_exp((double)logits[i] - largest);
    for (int i = 0; i < count - 1; i++)
    {
        sum += sac_series_exp((double)logits[i] - largest);
        if (u * total < sum) return i;
    }
    return count - 1;
}

void sac_action_head_draw(const sac_action_head *h, float *drawn, const float *outputs, const float *logs,
                          const double *noise)
{
    if (h->kind == SAC_HEAD_CHOICE)
    {
        drawn[0] = (float)choose(outputs, h->outputs, noise[0]);
        return;
    }
    for (int o = 0; o < h->outputs; o++)
        // mean + deviation noise: the network gives the deviation's logarithm, which needs no bound
        drawn[o] = (float)((double)outputs[o] + sac_series_exp((double)logs[o]) * noise[o]);
}

void sac_action_head_act(const sac_action_head *h, float *action, const float *drawn)
{
    const float third = 1.0f / 3.0f;
    switch (h->kind)
    {
    case SAC_HEAD_CHOICE: action[0] = drawn[0]; break;
    case SAC_HEAD_THRESHOLD: action[0] = drawn[0] < -third ? 1 : drawn[0] > third ? 2 : 0; break;
    case SAC_HEAD_BOX:
        for (int i = 0; i < h->actions; i++)
        {
            float x = drawn[i] * h->units[i];
            action[i] = x <= h->low[i] ? h->low[i] : x >= h->high[i] ? h->high[i] : isnan(x) ? h->low[i] : x;
        }
        break;
    }
}

void sac_action_head_likelihood(const sac_action_head *h, const sac_learn *l, float *out, const float *drawn,
                                const float *outputs, const float *logs, int rows, float *scratch)
{
    if (h->kind != SAC_HEAD_CHOICE)
    {
        l->likelihood_forward(l, out, drawn, outputs, logs, 0, rows, h->outputs);
        return;
    }
    for (int i = 0; i < rows; i++, outputs += h->outputs)
    {
        double loss;
        const int label = (int)drawn[i];
        l->cross_entropy_loss(l, &loss, scratch, outputs, &label, 1, h->outputs, 1);
        // log p(choice) is the cross entropy with the sign turned
        out[i] = (float)-loss;
    }
}

// The gradient with respect to the logits of log p[label] is 1 for the label, less p.
static void choice_backward(const sac_action_head *h, const sac_learn *l, float *doutputs, const float *dout,
                            const float *dentropy, const float *drawn, const float *outputs, int rows, float *dscratch)
{
    l->softmax_forward(l, doutputs, outputs, rows, h->outputs);
    l->entropy_backward(l, dscratch, dentropy, outputs, rows, h->outputs);
    for (int i = 0; i < rows; i++, doutputs += h->outputs, dscratch += h->outputs)
        for (int o = 0; o < h->outputs; o++)
            doutputs[o] = dout[i] * ((o == (int)drawn[i] ? 1.0f : 0.0f) - doutputs[o]) + dscratch[o];
}

void sac_action_head_backward(const sac_action_head *h, const sac_learn *l, float *doutputs, float *dlogs,
                              const float *dout, const float *dentropy, const float *drawn, const float *outputs,
                              const float *logs, int rows, float *dscratch)
{
    if (h->kind == SAC_HEAD_CHOICE)
    {
        choice_backward(h, l, doutputs, dout, dentropy, drawn, outputs, rows, dscratch);
        return;
    }
    l->likelihood_backward(l, doutputs, dlogs, dout, drawn, outputs, logs, 0, rows, h->outputs);
    l->gaussian_entropy_backward(l, dlogs, dentropy, 0, rows, h->outputs);
}

void sac_action_head_entropy(const sac_action_head *h, const sac_learn *l, float *out, const float *outputs,
                             const float *logs, int rows, float *scratch)
{
    if (h->kind == SAC_HEAD_CHOICE)
        l->entropy_forward(l, out, outputs, rows, h->outputs, scratch);
    else
        l->gaussian_entropy_forward(l, out, logs, 0, rows, h->outputs);
}
