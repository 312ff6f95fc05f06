#include "bench.h"

// One generation of a search method, beside a library.
#define SEARCH(row, method, peer, generations, named_only, summary)                                                   \
    {                                                                                                                 \
        "search-" row, "ms", "search.py " peer " " method " 3667 256 " generations, named_only, summary, bench_search \
    }

// Evaluations to a target, as the median over --seeds.
#define EVALS(function, n, method, peer)                                                                         \
    {                                                                                                            \
        "evals-" function "-" n "-" method, "evals", peer, true, "to 1e-8, median of --seeds", bench_evaluations \
    }
#define PYCMA(method, function, n)  "evals.py pycma " method " " function " " n " %s"
#define EVOSAX(method, function, n) "evals.py evosax " method " " function " " n " %s"
#define EVOJAX(method, function, n) "evals.py evojax " method " " function " " n " %s"
// The separable and limited-memory forms.
#define EVALS_LARGE(function, n)                                                    \
    EVALS(function, n, "sep-cma-es", PYCMA("sep-cma-es", function, n)),             \
        EVALS(function, n, "sep-cma-es-evosax", EVOSAX("sep-cma-es", function, n)), \
        EVALS(function, n, "lm-ma-es", EVOSAX("lm-ma-es", function, n)),            \
        EVALS(function, n, "snes", EVOSAX("snes", function, n))
#define EVALS_ALL(function, n)                                              \
    EVALS(function, n, "cma-es", PYCMA("cma-es", function, n)),             \
        EVALS(function, n, "cma-es-evosax", EVOSAX("cma-es", function, n)), \
        EVALS(function, n, "cma-es-evojax", EVOJAX("cma-es", function, n)), \
        EVALS(function, n, "cholesky-cma-es", PYCMA("cma-es", function, n)), EVALS_LARGE(function, n)
#define COARSE(function, n, method)                                                                    \
    {                                                                                                  \
        "coarse-" function "-" n "-" method, "evals", NULL, true, "to a hundredth, median of --seeds", \
            bench_evaluations                                                                          \
    }
#define COARSE_ALL(function, n)                                                                      \
    COARSE(function, n, "sep-cma-es"), COARSE(function, n, "lm-ma-es"), COARSE(function, n, "snes"), \
        COARSE(function, n, "openai-es"), COARSE(function, n, "pgpe"), COARSE(function, n, "ars"),   \
        COARSE(function, n, "bgs"), COARSE(function, n, "ga")

// Attention with given tokens, beside the faster of PyTorch and JAX.
#define TOKENS(form, n, summary)                                                                                     \
    {                                                                                                                \
        "tokens-" form "-" n, "us", "attention.py best " form " " n, false, summary " of " n " tokens", bench_tokens \
    }

// A product of matrices [m, n] with k terms each, the second matrix transposed, beside OpenBLAS.
#define GEMM(size)                                                                                               \
    {                                                                                                            \
        "gemm-" size, "us", "OpenBLAS", false, "a product of matrices beside OpenBLAS's, one thread", bench_gemm \
    }

// A step of a policy of a kind, where 16 episodes act in one call, beside the same one by one.
#define ACT_BATCH(kind, summary)                                                                  \
    {                                                                                             \
        "act-batch-" kind, "us", "one by one", false, summary ", 16 in one call", bench_act_batch \
    }

// What an action costs a policy that says it by tokens, with linear attention beside softmax.
#define ACT_TOKENS(n)                                                                                             \
    {                                                                                                             \
        "act-tokens-" n, "us", "softmax", false, "an action by tokens, three frames of " n " patches, sara-relu", \
            bench_act_tokens                                                                                      \
    }

#define ACT_TOKENS_HISTORY(h, frames)                                                     \
    {                                                                                     \
        "act-tokens-196-history-" h, "us", "softmax", false,                              \
            "an action by tokens, " frames " of 196 patches, sara-relu", bench_act_tokens \
    }

// A grasp from N points, beside PyTorch.
#define GRASP(form, attention, n)                                                                               \
    {                                                                                                           \
        "grasp-" form "-" n, "us", "grasp.py " attention " " n, false, "a grasp from " n " points, " attention, \
            bench_grasp                                                                                         \
    }

// A world of the control suite: its own picture at two sizes, beside dm_control's.
#define CONTROL(task, domain, size, pixels)                                             \
    {                                                                                   \
        "control-" size "-" task, "steps/s", "control.py " domain " " pixels, true,     \
            "one control step with its " pixels " picture, plain lights", bench_control \
    }
// The same beside MuJoCo's OpenGL with its cheapest settings.
#define RENDER(task, domain, size, pixels)                                              \
    {                                                                                   \
        "render-" size "-" task, "steps/s", "render.py " domain " " pixels, true,       \
            "one control step with its " pixels " picture, plain lights", bench_control \
    }
#define RENDER_ALL(task, domain)  RENDER(task, domain, "100", "100 100"), RENDER(task, domain, "240", "240 320")
#define CONTROL_ALL(task, domain) CONTROL(task, domain, "100", "100 100"), CONTROL(task, domain, "240", "240 320")

// An agent in the sizes of IAP in that world.
#define IAP(task)                                                                                            \
    {"iap-" task, "steps/s", NULL, true, "world, 240 x 320 picture, 19200 patches, ReLU", bench_control},    \
    {                                                                                                        \
        "iap-distracted-" task, "steps/s", NULL, true, "the same, camera, colours and background in motion", \
            bench_control                                                                                    \
    }

const bench_row bench_rows[] = {
    {"env-step", "steps/s", "env.py 300", false, "one CarRacing, each step with its 96 x 96 picture", bench_env},
    {"env-step-lockstep", "steps/s", "env.py 300", false, "the same, 16 in lockstep", bench_env_lockstep},
    {"agent-softmax", "us", "agent.py jax %p %f", false, "one frame of the whole agent", bench_agent_softmax},
    {"agent-softmax-torch", "us", "agent.py torch %p %f", false, "the same beside PyTorch", bench_agent_softmax},
    {"agent-softmax-numpy", "us", "agent.py numpy %p %f", false, "the same beside NumPy", bench_agent_softmax},
    {"agent-relu", "us", "agent.py jax %p %f", false, "linear attention beside JAX's softmax", bench_agent_relu},
    {"agent-relu-torch", "us", "agent.py torch %p %f", false, "linear attention beside PyTorch's softmax",
     bench_agent_relu},
    ACT_BATCH("mlp", "a policy of 17 numbers, two layers of 64 units"),
    ACT_BATCH("cnn", "the same with a convolutional network on 96 x 96 pixels"),
    ACT_BATCH("iap-trans", "the same with tokens that are mixed"),
    ACT_BATCH("attention-agent", "the same with the article's agent, exact softmax"),
    ACT_TOKENS("196"),
    ACT_TOKENS("784"),
    ACT_TOKENS("3136"),
    ACT_TOKENS_HISTORY("1", "one frame"),
    ACT_TOKENS_HISTORY("6", "six frames"),
    ACT_TOKENS_HISTORY("24", "24 frames"),
    {"act-tokens-196-decimals", "us", "softmax", false, "an action spelt in 18 digits, three frames of 196 patches",
     bench_act_tokens},
    {"rollout-softmax", "steps/s", "rollout.py 300 %p", false, "agent and world, 16 in lockstep, one thread",
     bench_rollout_softmax},
    {"rollout-relu", "steps/s", "rollout.py 300 %p", false, "the same with linear attention", bench_rollout_relu},
    {"rollout-softmax-parts", "steps/s", "its world and agent", false,
     "16 episodes of 300 steps beside what world and agent take alone, with resets", bench_parts_softmax},
    {"rollout-relu-parts", "steps/s", "its world and agent", false, "the same with linear attention", bench_parts_relu},
    {"threads", "steps/s", NULL, false, "rollouts by two threads beside one", bench_threads},
    {"take-cover", "steps/s", "doom.py 3000", true, "ViZDoom's engine through the bridge, 160 x 120, one core",
     bench_take_cover},
    {"take-cover-workers", "steps/s", NULL, true, "the same by two workers on all cores beside one on one",
     bench_take_cover_workers},
    TOKENS("softmax", "529", "exact importance"),
    TOKENS("softmax", "19200", "exact importance"),
    TOKENS("relu", "19200", "importance by ReLU of queries and keys themselves"),
    TOKENS("positive", "19200", "importance by 16 positive features"),
    TOKENS("hybrid", "19200", "importance by (10, 5) hybrid features"),
    {"tokens-frame-19200", "us", "attention.py best frame 19200", false,
     "240 x 320 bytes to the ten best of 19200 patches, ReLU", bench_frame},
    GEMM("512x512x512"),
    GEMM("16x64x36"),
    GEMM("64x64x16"),
    GEMM("192x48x60"),
    GEMM("256x16x48"),
    GEMM("512x64x256"),
    GEMM("512x256x64"),
    GRASP("softmax", "softmax", "128"),
    GRASP("softmax", "softmax", "800"),
    GRASP("softmax", "softmax", "1024"),
    GRASP("softmax", "softmax", "1600"),
    GRASP("softmax", "softmax", "4000"),
    GRASP("linear", "sara-relu", "128"),
    GRASP("linear", "sara-relu", "800"),
    GRASP("linear", "sara-relu", "1024"),
    GRASP("linear", "sara-relu", "1600"),
    GRASP("linear", "sara-relu", "4000"),
    {"grasp-episode", "us", NULL, false, "a thing on a table, its points, and a hand that goes straight down to them",
     bench_grasp_episode},
    {"grasp-episode-blind", "us", NULL, false, "the same without the points", bench_grasp_episode},
    {"cloud-240x320", "us", "cloud.py %d", false, "a depth picture to the objects on a table, beside PCL", bench_cloud},
    {"cloud-480x640", "us", "cloud.py %d", false, "the same of a picture with four times the pixels", bench_cloud},
    {"learn-lstm", "us", "learn.py lstm", false, "LSTM of 16 over 64 sequences of 128 steps, forward and backward",
     bench_lstm},
    {"learn-student", "us", "learn.py student", false,
     "a step of Adam of a student of 9,752 numbers on 192 pairs of 64 x 64 pictures", bench_student},
    {"learn-ppo", "steps/s", "ppo.py", true, "iterations of PPO on cheetah-run from state, one thread", bench_ppo},
    {"learn-ppo-defaults", "steps/s", "ppo.py defaults", true, "the same beside a peer with its own defaults",
     bench_ppo},
    {"learn-vit-196", "us", "learn.py vit 196", false, "ViT layer, width 768, 196 tokens, forward and backward",
     bench_vit},
    {"learn-vit-linear-3136", "us", "learn.py vit 3136", true,
     "the same with linear attention and 3136 tokens beside softmax", bench_vit},
    {"net-resnet-16", "ms", "images.py resnet 16 1 128", false,
     "a step of SGD of a ResNet-10 of width 16 on 128 pictures of 28 x 28", bench_net},
    {"net-resnet-64", "ms", "images.py resnet 64 1 128", false, "the same of width 64", bench_net},
    {"net-quadratic", "ms", "images.py quadratic", false,
     "a step of SGD of the attention net, 49 tokens of 128, 4 layers of 9 heads that look at places, on 100 pictures",
     bench_net},
    {"net-transformer-xl", "ms", "images.py transformer-xl", false,
     "the same whose heads have all four terms of Transformer-XL", bench_net},
    {"net-vit", "ms", "images.py vit", false,
     "a step of SGD of a vision transformer, 49 tokens of 64, 4 layers, on 128 pictures of 28 x 28", bench_net},
    {"net-resnet-16-threads", "ms", "one thread", false,
     "a step of the ResNet-10 by two threads over the minibatch beside one", bench_net_threads},
    {"net-vit-threads", "ms", "one thread", false, "a step of the vision transformer likewise", bench_net_threads},
    {"stance-2", "us", "stance.py %d", false, "forces of two standing feet over ten steps, from a cold start",
     bench_stance},
    {"stance-4", "us", "stance.py %d", false, "the same of four feet", bench_stance},
    {"stance-2-slowest", "us", "stance.py %d", false, "the slowest of 1000 such problems of two feet", bench_stance},
    {"stance-4-slowest", "us", "stance.py %d", false, "the slowest of 1000 such problems of four feet", bench_stance},
    {"stance-one", "us", "stance.py %d", false, "the same over a single instant, two or four feet", bench_stance},
    {"legs-step", "us", "legs.py", true,
     "52 ms of a robot with four legs: physics, 13 stance problems, two depth pictures", bench_legs},
    {"legs-step-blind", "us", "legs.py blind", true, "the same without the pictures", bench_legs},
    {"legs-agent", "steps/s", NULL, true,
     "120 ms of the shipped agent on stepping stones: two depth pictures of 48 x 64, its choice, physics",
     bench_legs_agent},
    {"rooms-step", "us", NULL, false, "a tenth of a second of a robot in rooms with its depth picture", bench_rooms},
    {"rooms-step-blind", "us", NULL, false, "the same without the picture", bench_rooms},
    {"rooms-act", "us", "convolutions", false, "a step of its policy with attention beside one with convolutions",
     bench_rooms_act},
    CONTROL_ALL("cheetah-run", "cheetah run"),
    RENDER_ALL("cheetah-run", "cheetah run"),
    CONTROL_ALL("walker-walk", "walker walk"),
    RENDER_ALL("walker-walk", "walker walk"),
    CONTROL_ALL("cartpole-swingup", "cartpole swingup"),
    RENDER_ALL("cartpole-swingup", "cartpole swingup"),
    CONTROL_ALL("ball-in-cup-catch", "ball_in_cup catch"),
    RENDER_ALL("ball-in-cup-catch", "ball_in_cup catch"),
    CONTROL_ALL("reacher-easy", "reacher easy"),
    RENDER_ALL("reacher-easy", "reacher easy"),
    IAP("cheetah-run"),
    IAP("walker-walk"),
    IAP("cartpole-swingup"),
    IAP("ball-in-cup-catch"),
    IAP("reacher-easy"),
    SEARCH("sep-cma-es", "sep-cma-es", "pycma", "20", false, "a generation, 3667 parameters, population 256"),
    SEARCH("sep-cma-es-evosax", "sep-cma-es", "evosax", "40", false, "the same beside evosax"),
    SEARCH("cma-es", "cma-es", "pycma", "6", true, "the same with the full covariance"),
    SEARCH("cholesky-cma-es", "cma-es", "pycma", "6", true, "the same with a triangular root"),
    SEARCH("lm-ma-es", "lm-ma-es", "evosax", "40", false, "the same with a few dozen vectors"),
    SEARCH("snes", "snes", "evosax", "40", false, "the same by natural gradients"),
    SEARCH("openai-es", "openai-es", "evosax", "40", false, "the same by OpenAI's strategies"),
    SEARCH("pgpe", "pgpe", "evosax", "40", false, "the same by policy gradients"),
    SEARCH("ars", "ars", "evosax", "40", false, "the same by augmented random search"),
    {"search-bgs", "ms", NULL, false, "the same by blackbox gradient sensing", bench_search},
    SEARCH("ga", "ga", "evosax", "40", false, "the same by a genetic algorithm"),
    SEARCH("cma-es-evojax", "cma-es", "evojax", "6", true, "the full covariance beside evojax"),
    SEARCH("pgpe-evojax", "pgpe", "evojax", "40", false, "policy gradients beside evojax"),
    SEARCH("ars-evojax", "ars", "evojax", "40", false, "augmented random search beside evojax"),
    SEARCH("ga-evojax", "ga", "evojax", "40", false, "the genetic algorithm beside evojax"),
    EVALS_ALL("sphere", "10"),
    EVALS_ALL("ellipsoid", "10"),
    EVALS_ALL("turned", "10"),
    EVALS_ALL("rosenbrock", "10"),
    EVALS_ALL("rastrigin", "10"),
    EVALS_ALL("cartpole", "10"),
    EVALS_ALL("sphere", "40"),
    EVALS_ALL("ellipsoid", "40"),
    EVALS_ALL("turned", "40"),
    EVALS_ALL("rosenbrock", "40"),
    EVALS_ALL("rastrigin", "40"),
    EVALS_ALL("cartpole", "40"),
    EVALS_LARGE("sphere", "1000"),
    EVALS_LARGE("ellipsoid", "1000"),
    COARSE("sphere", "40", "cma-es"),
    COARSE_ALL("sphere", "40"),
    COARSE("gentle", "40", "cma-es"),
    COARSE_ALL("gentle", "40"),
    COARSE("noisy", "40", "cma-es"),
    COARSE_ALL("noisy", "40"),
    COARSE_ALL("sphere", "1000"),
    COARSE_ALL("noisy", "1000"),
    {"train-to-800", "s", NULL, true, "training until two evaluations in a row average 800, median of --seeds",
     bench_train_800},
    {"train-to-850", "s", NULL, true, "training until two evaluations in a row average 850, median of --seeds",
     bench_train_850},
    {"train-to-900", "s", NULL, true, "training until two evaluations in a row average 900, median of --seeds",
     bench_train_900},
    {"teach-to-900", "s", NULL, true,
     "a teacher's training, and its student's until two evaluations average 900, median", bench_teach_900},
    {0},
};
