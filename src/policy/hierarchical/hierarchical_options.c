#include "policy/hierarchical/hierarchical.h"

// The options of a hierarchical policy: its own, then those of its high level, which are those of that kind but for
// what a high level has no use for, then those of its low level.

#define CONFIG               sac_hierarchical_config
#define OPTION_PREFIX        "high."
#define OPTION_FIELD(member) high.LEVEL.member
#include "policy/options/kind_rows.h"

#define OWN(name, type, fallback, least, most, words, help)                     \
    {                                                                           \
#name, type, offsetof(CONFIG, name), fallback, least, most, words, help \
    }

#define X(word, name) word " "
static const char kinds[] = SAC_HIGH_LEVELS(X);
#undef X

#define OWN_ROWS                                                                                                      \
    OWN(latent, SAC_OPTION_INT, "2", 1, SAC_MAX_LATENT, NULL,                                                         \
        "numbers in the command of the high level to the low level"),                                                 \
        OWN(shortest, SAC_OPTION_INT, "10", 1, SAC_MAX_HELD, NULL,                                                    \
            "steps that a command is held where the high level's first output is -1"),                                \
        OWN(longest, SAC_OPTION_INT, "800", 1, SAC_MAX_HELD, NULL, "where it is 1; between them in a straight line"), \
        OWN(high.kind, SAC_OPTION_TEXT, "iap-rank", 0, 0, kinds, "what the high level is; mlp looks at no picture"),  \
        OWN(high.parts, SAC_OPTION_TEXT, "", 0, 0, NULL,                                                              \
            "parts that the high level sees, of those that the policy takes, by name, separated by blanks; empty: "   \
            "the picture alone, of mlp all vectors")

// The low level alone has a normaliser, and what is bounded by -1 and 1 is no choice.
#define HIGH_ROWS ACTOR_CONTROLLER("clip"), ACTOR_MOTION

#define LOW_ROW(name, type, fallback, least, most, words, help)                            \
    {                                                                                      \
        "low." #name, type, offsetof(CONFIG, low.name), fallback, least, most, words, help \
    }
#define LOW_PARTS                                                                                                    \
    {                                                                                                                \
        "low.parts", SAC_OPTION_TEXT, offsetof(CONFIG, low_parts), "", 0, 0, NULL,                                   \
            "vectors that the low level takes beside the command, by name; empty: all vectors that the policy takes" \
    }
#define LOW_ROWS LOW_PARTS, MLP_ROWS(LOW_ROW, "linear")

#define LEVEL agent
const sac_option sac_high_attention_agent_options[] = {OWN_ROWS, ATTENTION_AGENT_ROWS, HIGH_ROWS, LOW_ROWS, {0}};
const sac_option sac_high_iap_rank_options[] = {OWN_ROWS, IAP_RANK_ROWS, HIGH_ROWS, LOW_ROWS, {0}};
const sac_option sac_high_iap_trans_options[] = {OWN_ROWS, IAP_TRANS_ROWS, HIGH_ROWS, LOW_ROWS, {0}};

#undef LEVEL
#define LEVEL cnn
const sac_option sac_high_cnn_options[] = {OWN_ROWS, CNN_ROWS, HIGH_ROWS, LOW_ROWS, {0}};

#undef LEVEL
#define LEVEL numbers
const sac_option sac_high_mlp_options[] = {
    OWN_ROWS,
    ACTOR_ROW(controller, SAC_OPTION_TEXT, "mlp", 0, 0, sac_controller_words, "what acts on the numbers"),
    ACTOR_ROW(hidden, SAC_OPTION_INT, "16", 1, 1024, NULL, "units of lstm, or of each of mlp's hidden layers"),
    ACTOR_ROW(layers, SAC_OPTION_INT, "1", 1, SAC_MAX_HIDDEN_LAYERS, NULL, "hidden layers of mlp"),
    ACTOR_ROW(activation, SAC_OPTION_TEXT, "clip", 0, 0, "tanh clip none", "of the output: tanh, or clip to -1..1"),
    ACTOR_MOTION,
    LOW_ROWS,
    {0},
};
