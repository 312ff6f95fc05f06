#include "methods/ppo_options.h"

#define ROW(field, type, fallback, min, max, help)                                                 \
    {                                                                                              \
#field, SAC_OPTION_##type, offsetof(sac_ppo_config, field), fallback, min, max, NULL, help \
    }

const sac_option sac_ppo_options[] = {
    ROW(worlds, INT, "64", 1, 4096, "episodes side by side"),
    ROW(steps, INT, "128", 1, 65536, "steps of each world in a generation"),
    ROW(sequence, INT, "0", 0, 65536,
        "steps in a row that a policy with memory learns from, a divisor of `steps`; 0: 1, or the largest divisor up "
        "to 32 where it has memory"),
    ROW(epochs, INT, "6", 1, 1000, "times that each step is learned from"),
    ROW(minibatch, INT, "1024", 1, 1000000, "steps that one step of the optimiser learns from"),
    ROW(slices, INT, "8", 1, 1024,
        "parts of a minibatch, which threads share; they decide the order of sums and with it the last bits"),
    ROW(rate, REAL, "3e-4", 0, 10, "of Adam"),
    ROW(epsilon, REAL, "1e-5", 1e-12, 1, "of Adam"),
    ROW(largest_norm, REAL, "0.5", 0, 1e9, "a longer gradient is shortened to it; 0: never"),
    ROW(anneal, BOOL, "true", 0, 0, "the rate falls along a line to 0 at the task's train.generations"),
    ROW(gamma, REAL, "0.99", 0, 1, "what a reward one step later is worth"),
    ROW(lambda, REAL, "0.95", 0, 1, "of generalised advantage estimation"),
    ROW(clip, REAL, "0.2", 0, 10, "how far a probability may move in a generation before the gradient ends"),
    ROW(value, REAL, "0.5", 0, 1e6, "weight of the critic's loss"),
    ROW(entropy, REAL, "0", 0, 1e6, "weight of the bonus for entropy"),
    ROW(target_kl, REAL, "0", 0, 1e6, "epochs end once the divergence from the old policy passes this; 0: never"),
    ROW(clip_value, BOOL, "true", 0, 0, "the critic's values are clipped as probabilities are"),
    ROW(normalise_advantages, BOOL, "true", 0, 0, "advantages have mean 0 and deviation 1 in each minibatch"),
    ROW(deviation, REAL, "0.6", 1e-6, 1e6, "of actions at the start, in halves of their range"),
    ROW(deviation_floor, REAL, "0", 0, 1e6, "the deviation never falls below this"),
    ROW(logit_scale, REAL, "1", 1e-6, 1e6, "factor on the controller's outputs where they choose among actions"),
    ROW(orthogonal, BOOL, "true", 0, 0,
        "the controller of a fresh policy begins with orthogonal matrices, the last of them small"),
    ROW(scale_rewards, BOOL, "true", 0, 0, "rewards are divided by the running deviation of the discounted return"),
    ROW(reward_clip, REAL, "10", 0, 1e9, "scaled rewards are cut at this; 0: never"),
    ROW(control_cost, REAL, "0", 0, 1e6,
        "what a step's reward is reduced by where actions are at their bounds: times the mean square of the action in "
        "halves of its range, as Gymnasium's control cost; returns that are reported stay the world's"),
    {"stray", SAC_OPTION_TEXT, offsetof(sac_ppo_config, stray), "", 0, 0, NULL,
     "a number of the world, by its name in what `saccade replay` writes, that should stay near 0; empty: none"},
    ROW(stray_limit, REAL, "0", 0, 1e9, "how far it may be from 0 at no cost"),
    ROW(stray_cost, REAL, "1", 0, 1e6,
        "what a step's reward is reduced by for each unit beyond that; returns that are reported stay the world's"),
    ROW(bootstrap, BOOL, "true", 0, 0,
        "an episode that a time limit ends is worth what the critic says of its last step; false: nothing"),
    ROW(episode_steps, INT, "0", 0, 1000000,
        "an episode of training is cut after so many steps, and what would follow is worth what the critic says; 0: "
        "never"),
    ROW(stagger, BOOL, "true", 0, 0,
        "the first episodes of the worlds are cut at lengths of their own, so that a generation sees all parts of an "
        "episode even where all episodes are equally long"),
    ROW(push_every, INT, "0", 0, 1000000,
        "steps from one push to the next on average: random actions that nothing is learned from, so that the policy "
        "knows the way back; 0: none"),
    ROW(push_steps, INT, "12", 1, 10000, "steps of a push"),
    {"critic", SAC_OPTION_TEXT, offsetof(sac_ppo_config, critic), "", 0, 0, NULL,
     "parts of the world that the critic is told, by name, privileged ones included; empty: the privileged vectors, or "
     "else what the policy is told"},
    ROW(critic_hidden, INT, "64", 1, 1024, "units of each hidden layer of the critic"),
    ROW(critic_layers, INT, "2", 1, 4, "hidden layers of the critic"),
    ROW(critic_normaliser, BOOL, "true", 0, 0, "observation normaliser of what the critic is told"),
    ROW(critic_limit, REAL, "10", 0, 1e9, "normalised numbers are cut at so many deviations on either side; 0: never"),
    {0},
};
