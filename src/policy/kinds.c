#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "policy/kind.h"

/// The kinds of policies: those that are built in, then those that others have registered.
static const sac_policy_ops *const kinds[] = {
    &sac_attention_agent_ops, &sac_iap_rank_ops,      &sac_iap_trans_ops,   &sac_cnn_ops,    &sac_mlp_ops,
    &sac_hierarchical_ops,    &sac_dodger_ops,        &sac_stepper_ops,     &sac_pilot_ops,  &sac_grasper_ops,
    &sac_sampler_ops,         &sac_action_tokens_ops, &sac_point_cloud_ops, &sac_finder_ops,
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

const sac_policy_ops *sac_policy_find_variant(const char *name, const sac_setting *settings, int count)
{
    const sac_policy_ops *kind = sac_policy_find_kind(name);
    return kind && kind->variant ? kind->variant(settings, count) : kind;
}

const sac_option *sac_policy_kind_options(const char *name, const sac_setting *settings, int setting_count)
{
    const sac_policy_ops *kind = sac_policy_find_variant(name, settings, setting_count);
    return kind ? kind->options : NULL;
}

static const char *kind_name(const void *user, int index)
{
    (void)user;
    return sac_policy_kind_at(index, NULL);
}

sac_status sac_policy_create(sac_policy **out, const sac_policy_def *def)
{
    *out = NULL;
    const sac_policy_ops *ops = sac_policy_find_variant(def->kind, def->settings, def->setting_count);
    if (ops) return sac_policy_create_of(out, ops, def);
    const char *meant = sac_did_you_mean(sac_nearest(def->kind, kind_name, NULL));
    return sac_fail(SAC_ERROR_ARGUMENT, "policy: unknown kind '%.80s'%s", def->kind,
                    meant[0] ? meant : "; one that is not built in comes with a plugin, which is not loaded");
}

sac_status sac_policy_register(const sac_policy_kind_ops *kind)
{
    SAC_TRY(sac_policy_own_check(kind));
    if (sac_policy_find_kind(kind->name))
        return sac_fail(SAC_ERROR_ARGUMENT, "policy kind '%s': the name is taken", kind->name);
    return sac_policy_own_add(kind);
}
