#include "attention/form.h"
#include "attention/forms/softmax.h"
#include "base/error.h"
#include "export/c/agent_c.h"

// This file writes the importance of patches: by exact softmax, or by a map of tokens to features.

// 1/N and the gains of both sides in one factor a feature.
static void add_gains(sac_c_file *file)
{
    const sac_attention *a = file->parts.agent->attention;
    sac_growing *text = &file->text;
    sac_grow_text(text, "static const double feature_gain[FEATURES] = {\n");
    for (int f = 0; f < a->feature_size; f++) // in the order in which linear.c multiplies them
        sac_grow_text(text, "    %.17g,\n",
                      a->gains[SAC_QUERIES][f] * a->gains[SAC_KEYS][f] * (1.0 / file->parts.embedding->count));
    sac_grow_text(text, "};\n\n");
    file->sizes.constants += (size_t)a->feature_size * sizeof(double);
}

sac_status sac_c_attention_constants(sac_c_file *file)
{
    const sac_attention *a = file->parts.agent->attention;
    if (!a->form->map)
        sac_grow_text(&file->text, "#define SOFTMAX_FACTOR %.8ef\n\nenum\n{\n    CAPACITY = %d\n};\n\n",
                      (double)sac_softmax_factor(a), sac_softmax_capacity(a, file->parts.embedding->count));
    else
    {
        SAC_TRY(sac_c_map_constants(file));
        add_gains(file);
    }
    return SAC_OK;
}

// Neither form needs the matrix of all patches against all: softmax holds one row of it, and the linear forms hold
// sums.
void sac_c_attention_fields(sac_c_file *file)
{
    const sac_agent *agent = file->parts.agent;
    const sac_attention *a = agent->attention;
    size_t n = (size_t)agent->embedding.count, f = (size_t)a->feature_size;
    sac_c_field(file, "float", sizeof(float), "tokens", "[OUTPUTS][TOKENS]",
                n * (size_t)agent->embedding.patches.outputs);
    sac_c_field(file, "float", sizeof(float), "row", "[TOKENS]", n);
    if (a->form->map)
    {
        sac_c_field(file, "float", sizeof(float), "lanes", "[FEATURES][LANES]", f * SAC_LANES);
        sac_c_field(file, "float", sizeof(float), "sums", "[FEATURES]", f);
        sac_c_map_fields(file);
        return;
    }
    // the rest is of softmax over distinct patches: their groups, first members and numbers
    sac_c_field(file, "float", sizeof(float), "gained", "[TOKENS]", n);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "group", "[TOKENS]", n);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "first", "[TOKENS]", n);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "number", "[TOKENS]", n);
}

void sac_c_attention_code(sac_c_file *file)
{
    const sac_attention *a = file->parts.agent->attention;
    if (a->normalise) sac_c_part(file, "unit_length.c");
    if (!a->form->map)
    {
        sac_c_part(file, "softmax.c");
        return;
    }
    sac_c_map_code(file);
    sac_c_part(file, sac_c_map_is_hybrid(a) ? "score_hybrid.c" : "score.c");
    sac_c_part(file, "linear.c");
}
