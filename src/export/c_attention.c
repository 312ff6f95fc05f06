#include <string.h>

#include "attention/form.h"
#include "attention/forms/softmax.h"
#include "base/error.h"
#include "export/agent_c.h"

// the form of attention: exact softmax, or a map of tokens to features

// distinct patches that the library holds at most (attention/softmax.c)
static int capacity(const sac_attention *a, int n)
{
    int most = (1 << 16) / a->key_size / SAC_LANES * SAC_LANES;
    return n < most ? n : most;
}

// the part that computes the features of a token; NULL: it has none
static const char *map_part(const sac_attention *a)
{
    const sac_kernels *k = &a->kernels;
    return a->map == k->relu_features     ? "map_relu.c"
           : a->map == k->exp_features    ? "map_exp.c"
           : a->map == k->square_features ? "map_square.c"
           : a->map == k->trig_features   ? "map_trig.c"
           : a->map == k->hybrid_features ? "map_hybrid.c"
                                          : NULL;
}

static bool is_hybrid(const sac_attention *a)
{
    return a->map == a->kernels.hybrid_features;
}

static bool uses_norm(const sac_attention *a)
{
    return a->map == a->kernels.exp_features || a->map == a->kernels.trig_features || is_hybrid(a);
}

static void add_map(sac_c_file *file)
{
    const sac_attention *a = file->agent->attention;
    const sac_features *queries = &a->features[SAC_QUERIES], *keys = &a->features[SAC_KEYS];
    size_t size = (size_t)queries->count * (size_t)queries->size;
    sac_growing *text = &file->text;
    sac_grow_text(text, "enum\n{\n    FEATURES = %d\n};\n\n", a->feature_size);
    sac_grow_text(text, "#define MAP_FACTOR %.8ef\n#define MAP_SQUARE %.8ef\n#define MAP_TURN %.8ef\n\n",
                  (double)queries->factor, (double)queries->square, (double)queries->turn);
    if (queries->matrix)
    {
        bool shared = memcmp(queries->matrix, keys->matrix, size * sizeof(float)) == 0;
        sac_c_floats(file, "map_of_queries", queries->matrix, size);
        if (!shared) sac_c_floats(file, "map_of_keys", keys->matrix, size);
        sac_grow_text(text, "#define MAP_WEIGHT(side, f, d) ((side) ? %s : map_of_queries)[(f) * D + (d)]\n\n",
                      shared ? "map_of_queries" : "map_of_keys");
    }
    if (is_hybrid(a))
    {
        sac_grow_text(text, "enum\n{\n    WAVES = %d,\n    PLANES = %d\n};\n\n", queries->count,
                      queries->direction_count);
        sac_c_floats(file, "map_planes", queries->directions, (size_t)queries->direction_count * (size_t)queries->size);
    }
    if (file->agent->trans.attention)
    {
        sac_c_trans_constants(file);
        return;
    }
    sac_grow_text(text, "static const double feature_gain[FEATURES] = {\n");
    for (int f = 0; f < a->feature_size; f++) // as linear.c multiplies them
        sac_grow_text(text, "    %.17g,\n",
                      a->gains[SAC_QUERIES][f] * a->gains[SAC_KEYS][f] * (1.0 / file->agent->count));
    sac_grow_text(text, "};\n\n");
    file->sizes.constants += (size_t)a->feature_size * sizeof(double);
}

sac_status sac_c_attention_constants(sac_c_file *file)
{
    const sac_attention *a = file->agent->attention;
    if (!a->form->map)
        sac_grow_text(&file->text, "#define SOFTMAX_FACTOR %.8ef\n\nenum\n{\n    CAPACITY = %d\n};\n\n",
                      (double)sac_softmax_factor(a), capacity(a, file->agent->count));
    else if (map_part(a))
        add_map(file);
    else
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: attention %s is not among the forms that the C file knows",
                        a->form->name);
    return SAC_OK;
}

void sac_c_map_fields(sac_c_file *file)
{
    const sac_attention *a = file->agent->attention;
    if (is_hybrid(a))
        sac_c_field(file, "float", sizeof(float), "sides", "[PLANES]",
                    (size_t)a->features[SAC_QUERIES].direction_count);
}

void sac_c_attention_fields(sac_c_file *file)
{
    const sac_agent *agent = file->agent;
    const sac_attention *a = agent->attention;
    if (agent->trans.attention)
    {
        sac_c_trans_fields(file);
        return;
    }
    size_t n = (size_t)agent->count, f = (size_t)a->feature_size;
    sac_c_field(file, "float", sizeof(float), "tokens", "[OUTPUTS][TOKENS]", n * (size_t)agent->patches.outputs);
    sac_c_field(file, "float", sizeof(float), "row", "[TOKENS]", n);
    if (a->form->map)
    {
        sac_c_field(file, "float", sizeof(float), "lanes", "[FEATURES][LANES]", f * SAC_LANES);
        sac_c_field(file, "float", sizeof(float), "sums", "[FEATURES]", f);
        sac_c_map_fields(file);
        return;
    }
    sac_c_field(file, "float", sizeof(float), "gained", "[TOKENS]", n);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "group", "[TOKENS]", n);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "first", "[TOKENS]", n);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "number", "[TOKENS]", n);
}

void sac_c_attention_code(sac_c_file *file)
{
    const sac_attention *a = file->agent->attention;
    if (a->normalize) sac_c_part(file, "unit_length.c");
    if (!a->form->map)
    {
        sac_c_part(file, "softmax.c");
        return;
    }
    sac_c_part(file, a->features[SAC_QUERIES].matrix ? "map.c" : "map_raw.c");
    if (uses_norm(a)) sac_c_part(file, "map_norm.c");
    sac_c_part(file, map_part(a));
    if (file->agent->trans.attention)
    {
        sac_c_trans_code(file);
        return;
    }
    sac_c_part(file, is_hybrid(a) ? "score_hybrid.c" : "score.c");
    sac_c_part(file, "linear.c");
}
