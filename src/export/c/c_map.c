#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "export/c/agent_c.h"

// This file writes the map of tokens to features that the linear forms of attention share.

// Find the part that computes the features of a token; NULL: there is none.
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

// The hybrid map alone needs memory, for the sides of its planes.
bool sac_c_map_is_hybrid(const sac_attention *a)
{
    return a->map == a->kernels.hybrid_features;
}

// Maps whose exponent has the token's length in it.
static bool uses_norm(const sac_attention *a)
{
    return a->map == a->kernels.exp_features || a->map == a->kernels.trig_features || sac_c_map_is_hybrid(a);
}

sac_status sac_c_map_constants(sac_c_file *file)
{
    const sac_attention *a = file->parts.agent->attention;
    const sac_features *queries = &a->features[SAC_QUERIES], *keys = &a->features[SAC_KEYS];
    if (!map_part(a))
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: attention %s is not among the forms that the C file knows",
                        a->form->name);
    // the matrices include the factors of the map, log2(e) among them, so that the file multiplies as often as the
    // library
    size_t size = (size_t)queries->count * (size_t)queries->size;
    sac_growing *text = &file->text;
    sac_grow_text(text, "enum\n{\n    FEATURES = %d\n};\n\n", a->feature_size);
    sac_grow_text(text, "#define MAP_FACTOR %.8ef\n#define MAP_SQUARE %.8ef\n#define MAP_TURN %.8ef\n\n",
                  (double)queries->factor, (double)queries->square, (double)queries->turn);
    if (queries->matrix)
    {
        // both sides have one matrix unless maps are learned; it is written once then
        bool shared = memcmp(queries->matrix, keys->matrix, size * sizeof(float)) == 0;
        sac_c_floats(file, "map_of_queries", queries->matrix, size);
        if (!shared) sac_c_floats(file, "map_of_keys", keys->matrix, size);
        sac_grow_text(text, "#define MAP_WEIGHT(side, f, d) ((side) ? %s : map_of_queries)[(f) * D + (d)]\n\n",
                      shared ? "map_of_queries" : "map_of_keys");
    }
    if (sac_c_map_is_hybrid(a))
    {
        sac_grow_text(text, "enum\n{\n    WAVES = %d,\n    PLANES = %d\n};\n\n", queries->count,
                      queries->direction_count);
        sac_c_floats(file, "map_planes", queries->directions, (size_t)queries->direction_count * (size_t)queries->size);
    }
    return SAC_OK;
}

void sac_c_map_fields(sac_c_file *file)
{
    const sac_attention *a = file->parts.agent->attention;
    if (sac_c_map_is_hybrid(a))
        sac_c_field(file, "float", sizeof(float), "sides", "[PLANES]",
                    (size_t)a->features[SAC_QUERIES].direction_count);
}

void sac_c_map_code(sac_c_file *file)
{
    const sac_attention *a = file->parts.agent->attention;
    sac_c_part(file, a->features[SAC_QUERIES].matrix ? "map.c" : "map_raw.c");
    if (uses_norm(a)) sac_c_part(file, "map_norm.c");
    sac_c_part(file, map_part(a));
}
