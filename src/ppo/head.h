#pragma once

#include "learn/learn.h"
#include "saccade/policy.h"

/// What a policy's outputs say about actions while it learns: the distribution that actions are drawn from, whose
/// middle, or most likely action, is what the policy does by itself.
///
/// A box: a normal distribution around the outputs, in halves of each action's range, whose deviations are parameters
/// of the learner; what is drawn is cut at the bounds on its way to the world. Three choices by thresholds: the same
/// around the one output, and the thresholds belong to the world. n choices: softmax(logit_scale * outputs).

typedef enum sac_action_head_kind
{
    SAC_HEAD_BOX,
    SAC_HEAD_THRESHOLD,
    SAC_HEAD_CHOICE,
} sac_action_head_kind;

typedef struct sac_action_head
{
    sac_action_head_kind kind;
    int outputs;       ///< O, of the policy
    int size;          ///< S, numbers of what is drawn: O, or 1 for a choice
    int logs;          ///< logs of deviations: O, or 0
    int actions;       ///< numbers of an action in the world
    int choices;       ///< of the action; 0: a box
    const float *low;  ///< [actions]
    const float *high; ///< [actions]
    float *units;      ///< [O] what the outputs are divided by
} sac_action_head;

/// @param logit_scale  of softmax
/// @return SAC_ERROR_MEMORY; released by sac_action_head_clear
SAC_CHECKED sac_status sac_action_head_plan(sac_action_head *head, const sac_policy *policy, int outputs,
                                            double logit_scale);
void sac_action_head_clear(sac_action_head *head);

/// Outputs [rows, O] in the distribution's units, and gradients by outputs of those by units: both divide by units.
void sac_action_head_scale(const sac_action_head *head, float *outputs, int rows);

/// Draw [S] around outputs [O] in units.
/// @param logs   [logs]
/// @param noise  [O] standard normal numbers, or for a choice one number in 0..1
void sac_action_head_draw(const sac_action_head *head, float *drawn, const float *outputs, const float *logs,
                          const double *noise);

/// The action [actions] that the world is given for what was drawn.
void sac_action_head_act(const sac_action_head *head, float *action, const float *drawn);

/// The log of the probability of what was drawn [rows, S], or of its density: out [rows].
/// @param scratch  [O]
void sac_action_head_likelihood(const sac_action_head *head, const sac_learn *l, float *out, const float *drawn,
                                const float *outputs, const float *logs, int rows, float *scratch);

/// By outputs [rows, O], written, and logs, added to, of: sum dout[i] likelihood[i] + sum dentropy[i] entropy[i].
/// @param[out] dscratch  [rows, O]
void sac_action_head_backward(const sac_action_head *head, const sac_learn *l, float *doutputs, float *dlogs,
                              const float *dout, const float *dentropy, const float *drawn, const float *outputs,
                              const float *logs, int rows, float *dscratch);

/// out [rows], of the distribution.
void sac_action_head_entropy(const sac_action_head *head, const sac_learn *l, float *out, const float *outputs,
                             const float *logs, int rows, float *scratch);
