#include "policy/agent.h"

#define CONFIG sac_agent_config
#include "policy/options/kind_rows.h"

// The options of every kind of agent.

const sac_option sac_agent_options[] = {ATTENTION_AGENT_ROWS, ACTOR, {0}};
const sac_option sac_iap_rank_options[] = {IAP_RANK_ROWS, ACTOR, {0}};
const sac_option sac_iap_trans_options[] = {IAP_TRANS_ROWS, ACTOR, {0}};
