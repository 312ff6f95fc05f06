#include "attention/blocks.h"
#include "base/error.h"
#include "export/c/agent_c.h"

// This file writes IAP-trans: everything that follows the features of queries and keys.

enum
{
    ROOM = 256
};

// The order of the products is chosen when the file is written, because sizes are fixed from then on.
static sac_trans_order order_of(const sac_agent *a)
{
    const sac_trans *t = &a->trans;
    if (t->order != SAC_TRANS_CHEAPEST) return t->order;
    return sac_trans_cheapest(t->rows, sac_attention_feature_size(a->attention), a->embedding.count, t->value_size);
}

// Gains in double with all their digits: the library multiplies them in double.
static void add_gains(sac_c_file *file, const char *name, const double *gains)
{
    int count = file->parts.agent->attention->feature_size;
    sac_grow_text(&file->text, "static const double %s[FEATURES] = {\n", name);
    for (int f = 0; f < count; f++) sac_grow_text(&file->text, "    %.17g,\n", gains[f]);
    sac_grow_text(&file->text, "};\n\n");
    file->sizes.constants += (size_t)count * sizeof(double);
}

// Blocks of patches have the size that the library takes at this shape, since sums end where blocks do.
static int block_of(const sac_agent *a)
{
    return sac_block_size(a->attention, SAC_BLOCK_LARGE);
}

// Limit the sums that are held at once: 16 KiB of parts, and in any case a whole row.
static size_t part_count(const sac_agent *a)
{
    size_t f = (size_t)a->attention->feature_size, v = (size_t)a->value_size, l = (size_t)a->trans.rows;
    size_t widest = f > v ? f : v, rows = l > v ? l : v;
    return rows * widest < ROOM ? rows * widest : widest > ROOM ? widest : ROOM;
}

sac_status sac_c_trans_constants(sac_c_file *file)
{
    SAC_TRY(sac_c_map_constants(file));
    const sac_agent *a = file->parts.agent;
    const sac_trans *t = &a->trans;
    sac_grow_text(&file->text,
                  "enum\n{\n    L = %d,\n    V = %d,\n    BLOCK = %d,\n    PARTS = %zu,\n    RESIDUAL = %d\n};\n\n",
                  t->rows, t->value_size, block_of(a), part_count(a), t->residual);
    add_gains(file, "gain_of_queries", a->attention->gains[SAC_QUERIES]);
    add_gains(file, "gain_of_keys", a->attention->gains[SAC_KEYS]);
    sac_c_matrix(file, "trans_projection", a->trans_projection, t->rows, a->embedding.count);
    // layer normalisation (Ba, Kiros and Hinton 2016) of each token; the gain is stored as gain - 1, and the
    // gain itself is written
    if (!a->config.layer_norm) return SAC_OK;
    sac_grow_text(&file->text, "#define NORM_EPSILON 1e-5f\n\n");
    sac_c_floats(file, "norm_gain", file->parts.agent_state->gain, (size_t)t->value_size);
    sac_c_floats(file, "norm_bias", file->rounded->parameters + a->trans_bias, (size_t)t->value_size);
    return SAC_OK;
}

// Which of the two sums is needed depends on the order: the left one starts with P Q', the right one with K'^T V, the
// middle one takes both.
void sac_c_trans_fields(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    size_t real = sizeof(float), n = (size_t)a->embedding.count, l = (size_t)a->trans.rows, v = (size_t)a->value_size;
    size_t f = (size_t)a->attention->feature_size, parts = part_count(a);
    sac_trans_order order = order_of(a);
    sac_c_field(file, "float", real, "tokens", "[OUTPUTS][TOKENS]", n * (size_t)a->embedding.patches.outputs);
    sac_c_field(file, "float", real, "parts", "[PARTS][LANES]", parts * SAC_LANES);
    if (order != SAC_TRANS_RIGHT) sac_c_field(file, "float", real, "summary", "[L * FEATURES]", l * f);
    if (order != SAC_TRANS_LEFT) sac_c_field(file, "float", real, "product", "[V * FEATURES]", v * f);
    sac_c_map_fields(file);
}

void sac_c_trans_code(sac_c_file *file)
{
    static const char *const orders[] = {
        [SAC_TRANS_LEFT] = "trans_left.c", [SAC_TRANS_RIGHT] = "trans_right.c", [SAC_TRANS_MIDDLE] = "trans_middle.c"};
    if (file->parts.agent->attention->normalise) sac_c_part(file, "unit_length.c");
    sac_c_map_code(file);
    sac_c_part(file, "trans.c");
    sac_c_part(file, orders[order_of(file->parts.agent)]);
    sac_c_part(file, "trans_end.c");
    if (file->parts.agent->config.layer_norm) sac_c_part(file, "layer_norm.c");
}
