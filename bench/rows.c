#include "bench.h"

#define SEARCH(method, generations) "search.py " method " 3667 256 " generations

const bench_row bench_rows[] = {
    {"env-step", "steps/s", "env.py 300", false, "one CarRacing, each step with its 96 x 96 picture", bench_env},
    {"env-step-lockstep", "steps/s", "env.py 300", false, "the same, 16 in lockstep", bench_env_lockstep},
    {"agent-softmax", "us", "agent.py jax %p %f", false, "one frame of the whole agent", bench_agent_softmax},
    {"agent-softmax-torch", "us", "agent.py torch %p %f", false, "the same beside PyTorch", bench_agent_softmax},
    {"agent-softmax-numpy", "us", "agent.py numpy %p %f", false, "the same beside NumPy", bench_agent_softmax},
    {"agent-relu", "us", "agent.py jax %p %f", false, "linear attention beside JAX's softmax", bench_agent_relu},
    {"agent-relu-torch", "us", "agent.py torch %p %f", false, "linear attention beside PyTorch's softmax",
     bench_agent_relu},
    {"rollout-softmax", "steps/s", "rollout.py 300 %p", false, "agent and world, 16 in lockstep, one thread",
     bench_rollout_softmax},
    {"rollout-relu", "steps/s", "rollout.py 300 %p", false, "the same with linear attention", bench_rollout_relu},
    {"threads", "steps/s", NULL, false, "rollouts by two threads beside one", bench_threads},
    {"search-sep-cma-es", "ms", SEARCH("sep-cma-es", "20"), false, "a generation, 3667 parameters, population 256",
     bench_search_separable},
    {"search-cma-es", "ms", SEARCH("cma-es", "6"), true, "the same with the full covariance", bench_search_full},
    {"train-to-800", "s", NULL, true, "training until held-out tracks give 800, median of --seeds", bench_train_800},
    {"train-to-850", "s", NULL, true, "training until held-out tracks give 850, median of --seeds", bench_train_850},
    {"train-to-900", "s", NULL, true, "training until held-out tracks give 900, median of --seeds", bench_train_900},
    {0},
};
