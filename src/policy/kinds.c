#include <string.h>

#include "base/error.h"
#include "policy/kind.h"

/// The kinds of policies: those that are built in, then those that others have registered.
static const sac_policy_ops *const kinds[] = {
    &sac_attention_agent_ops, &sac_iap_rank_ops, &sac_iap_trans_ops, &sac_cnn_ops, &sac_mlp_ops,
    &sac_dodger_ops,          &sac_stepper_ops,
};

enum
{
    KIND_COUNT = sizeof kinds / sizeof *kinds
};

static const sac_policy_ops *kind_at(int index)
{
    if (index < 0) return NULL;
    return index < KIND_COUNT ? kinds[index] : sac_policy_own_at(index - KIND_COUNT);
}

const char *sac_policy_kind_at(int index, const sac_option **options)
{
    const sac_policy_ops *kind = kind_at(index);
    if (kind && options) *options = kind->options;
    return kind ? kind->name : NULL;
}

const sac_policy_ops *sac_policy_find_kind(const char *name)
{
    for (int i = 0; kind_at(i); i++)
        if (strcmp(kind_at(i)->name, name) == 0) return kind_at(i);
    return NULL;
}

sac_status sac_policy_register(const sac_policy_kind_ops *kind)
{
    SAC_TRY(sac_policy_own_check(kind));
    if (sac_policy_find_kind(kind->name))
        return sac_fail(SAC_ERROR_ARGUMENT, "policy kind '%s': the name is taken", kind->name);
    return sac_policy_own_add(kind);
}
