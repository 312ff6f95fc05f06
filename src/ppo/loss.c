#include "ppo/loss.h"

#include <math.h>

#include "base/series.h"

size_t sac_ppo_loss_workspace(const sac_action_head *head, int count)
{
    // likelihoods, entropies, and the gradients by both; one row's exponentials; gradients by outputs of the entropy
    return 4 * (size_t)count + (size_t)head->outputs + (size_t)count * (size_t)head->outputs;
}

void sac_ppo_normalise(double *mean, double *deviation, double count, double sum, double squares)
{
    *mean = count < 2 ? 0 : sum / count;
    *deviation = count < 2 ? 1 : sqrt(fmax(0, squares - count * *mean * *mean) / (count - 1)) + 1e-8;
}

// Adds one row's part of the policy's loss to the sums. Returns its slope by the log of the row's likelihood.
static double policy_term(const sac_ppo_rows *r, int i, float likelihood, sac_ppo_sums *sums)
{
    const double difference = (double)likelihood - (double)r->old[i], ratio = sac_series_exp(difference);
    const double advantage = (double)r->advantages[i];
    const double cut = fmin(fmax(ratio, 1 - r->clip), 1 + r->clip);
    const double free = -advantage * ratio, clipped = -advantage * cut;
    sums->policy += fmax(free, clipped);
    sums->divergence += ratio - 1 - difference;
    sums->clipped += fabs(ratio - 1) > r->clip;
    // The gradient with respect to log p of -A ratio is that product itself, while it is the larger of the two.
    return free >= clipped ? free : 0;
}

// Adds one row's part of the critic's loss to the sums. Returns its slope by the row's value.
static double value_term(const sac_ppo_rows *r, int i, sac_ppo_sums *sums)
{
    const double off = (double)r->values[i] - (double)r->targets[i];
    const double moved = (double)r->values[i] - (double)r->old_values[i];
    const double cut = fmin(fmax(moved, -r->clip), r->clip);
    const double clipped = (double)r->old_values[i] + cut - (double)r->targets[i];
    if (!r->clip_value || off * off >= clipped * clipped)
    {
        sums->value += 0.5 * off * off;
        return off;
    }
    sums->value += 0.5 * clipped * clipped;
    return fabs(moved) < r->clip ? clipped : 0;
}

void sac_ppo_loss(const sac_ppo_rows *r, const sac_learn *l, sac_ppo_sums *sums, float *doutputs, float *dvalues,
                  float *dlogs, float *workspace)
{
    const int n = r->count;
    float *likelihood = workspace, *entropy = likelihood + n, *dlikelihood = entropy + n, *dentropy = dlikelihood + n;
    float *scratch = dentropy + n, *dscratch = scratch + r->head->outputs;
    sac_action_head_likelihood(r->head, l, likelihood, r->drawn, r->outputs, r->logs, n, scratch);
    sac_action_head_entropy(r->head, l, entropy, r->outputs, r->logs, n, scratch);
    for (int i = 0; i < n; i++)
    {
        const bool counts = r->counts[i] != 0;
        dlikelihood[i] = counts ? (float)(r->share * policy_term(r, i, likelihood[i], sums)) : 0;
        dvalues[i] = counts ? (float)(r->share * r->value * value_term(r, i, sums)) : 0;
        dentropy[i] = counts ? (float)(-r->share * r->entropy) : 0;
        if (counts) sums->entropy += (double)entropy[i];
    }
    sac_action_head_backward(r->head, l, doutputs, dlogs, dlikelihood, dentropy, r->drawn, r->outputs, r->logs, n,
                             dscratch);
}
