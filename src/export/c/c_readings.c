#include "base/error.h"
#include "export/c/agent_c.h"

// This file says what the C file holds between tokens and controller, for each reading.

// IAP-rank and IAP-trans are both agents: what one of them does not use is 0 or not looked at.
static sac_c_numbers agent_numbers(const sac_policy_parts *parts)
{
    const sac_agent *a = parts->agent;
    return (sac_c_numbers){.key_size = a->config.key_size,
                           .top = a->config.top,
                           .each = a->patch_numbers,
                           .bins = a->config.bins,
                           .values = a->config.value_size,
                           .kernel = a->config.conv_kernel,
                           .stride = a->config.conv_stride,
                           .patch_pixels = a->wants_pixels ? a->embedding.inputs : 0,
                           .position_unit = a->config.normalise_positions ? a->embedding.patches.height : 1};
}

// The outputs of the first layer are the tokens.
static sac_c_numbers layer_numbers(const sac_policy_parts *parts)
{
    return (sac_c_numbers){.values = parts->embedding->patches.outputs,
                           .kernel = parts->cnn->config.conv_kernel,
                           .stride = parts->cnn->config.conv_stride,
                           .position_unit = 1};
}

// What agent_act calls between the tokens and the controller.
static void attend(sac_c_file *file)
{
    if (file->parts.agent->attention->normalise) sac_grow_text(&file->text, "    normalise();\n");
    sac_grow_text(&file->text, "    attend();\n");
}

static void attend_and_choose(sac_c_file *file)
{
    attend(file);
    sac_grow_text(&file->text, "    choose();\n    tell(image);\n");
}

static void attend_and_norm(sac_c_file *file)
{
    attend(file);
    if (file->parts.agent->config.layer_norm) sac_grow_text(&file->text, "    norm_layers();\n");
}

static void read_image(sac_c_file *file)
{
    sac_grow_text(&file->text, "    read_image();\n");
}

static const sac_c_reading readings[] = {
    [SAC_PARTS_RANK] = {agent_numbers, sac_c_attention_constants, sac_c_attention_fields, sac_c_attention_code,
                        attend_and_choose, sac_c_patch_feature_constants, sac_c_patch_feature_code},
    [SAC_PARTS_TRANS] = {agent_numbers, sac_c_trans_constants, sac_c_trans_fields, sac_c_trans_code, attend_and_norm,
                         NULL, NULL},
    [SAC_PARTS_LAYERS] = {layer_numbers, sac_c_layer_constants, sac_c_layer_fields, sac_c_layer_code, read_image, NULL,
                          NULL},
};

sac_status sac_c_find_reading(const sac_c_reading **out, const sac_policy *policy, const sac_policy_parts *parts)
{
    size_t index = (size_t)parts->reading;
    if (index < sizeof readings / sizeof *readings && readings[index].numbers) return *out = &readings[index], SAC_OK;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "export: the C file knows no policies that are made as '%.80s' is",
                    policy->ops->name);
}
