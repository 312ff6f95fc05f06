#include <math.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/heads.h"
#include "saccade/tokens.h"

// Gaussian heads, their encodings, the convolution that nine of them are, and Transformer-XL's terms

enum
{
    NINE = 9
};

typedef struct scene
{
    int height, width, pixels, channels, outputs;
    int weight_count;            // heads that there are weights for, nine at least
    float *planes;               // [channels, pixels]
    const float *weights, *bias; // [weight_count, channels, outputs], [outputs]
} scene;

static sac_status create_heads(sac_heads **out, const scene *image, const sac_head *list, int count)
{
    sac_heads_def def = sac_heads_default_def();
    def.height = image->height;
    def.width = image->width;
    def.count = count;
    def.heads = list;
    return sac_heads_create(out, &def);
}

// a layer, and the attention of every pixel of its first head; each output may be unnamed
static sac_status run_heads(golden *g, const scene *image, const sac_head *list, int count, const char *out_name,
                            const char *row_name, const char *logit_name)
{
    int pixels = image->pixels, most = image->channels > image->outputs ? image->channels : image->outputs;
    const int64_t square[] = {pixels, pixels}, shape[] = {pixels, image->outputs};
    sac_status status = SAC_OK;
    float *out = out_name ? golden_output(g, &status, out_name, SAC_F32, 2, shape) : NULL;
    float *rows = row_name ? golden_output(g, &status, row_name, SAC_F32, 2, square) : NULL;
    float *logits = logit_name ? golden_output(g, &status, logit_name, SAC_F32, 2, square) : NULL;
    SAC_TRY(status);
    sac_heads *heads;
    SAC_TRY(create_heads(&heads, image, list, count));
    size_t size = (size_t)pixels;
    void *workspace = golden_scratch(g, &status, sac_heads_workspace_size(heads, most), 1);
    float *planes = golden_scratch(g, &status, size * (size_t)image->outputs, sizeof(float));
    for (size_t i = 0; status == SAC_OK && rows && i < size; i++)
        sac_heads_row(heads, 0, rows + i * size, (int)i, workspace);
    for (size_t i = 0; logits && i < size; i++) sac_heads_logits(heads, 0, logits + i * size, (int)i);
    if (out && status == SAC_OK)
    {
        sac_heads_layer(heads, planes, image->outputs, pixels, image->planes, image->channels, pixels, image->weights,
                        image->bias, workspace);
        golden_transpose(out, planes, image->outputs, pixels);
    }
    sac_heads_destroy(heads);
    return status;
}

// [count, encoding]; count = 0: one head, [encoding]
static sac_status encode(golden *g, const char *name, const sac_head *list, int count, sac_head_encoding encoding)
{
    const int64_t shape[] = {count, encoding};
    sac_status status = SAC_OK;
    float *out = golden_output(g, &status, name, SAC_F32, count > 0 ? 2 : 1, count > 0 ? shape : shape + 1);
    SAC_TRY(status);
    for (int h = 0; h < count || h == 0; h++)
    {
        double t[SAC_HEAD_GENERAL];
        sac_head_encode(t, &list[h], encoding);
        for (int i = 0; i < (int)encoding; i++) *out++ = (float)t[i];
    }
    return SAC_OK;
}

static sac_status run_nine(golden *g, const scene *image)
{
    double alpha;
    SAC_TRY(golden_number(g, "alpha", &alpha));
    sac_head nine[NINE];
    sac_heads_nine(nine, INFINITY);
    SAC_TRY(run_heads(g, image, nine, NINE, "conv_edge", NULL, NULL));
    sac_heads_nine(nine, alpha);
    SAC_TRY(run_heads(g, image, nine, NINE, "out_nine", NULL, NULL));
    return encode(g, "t_nine", nine, NINE, SAC_HEAD_ISOTROPIC);
}

static sac_status run_isotropic(golden *g, const scene *image)
{
    double alpha;
    sac_status status = SAC_OK;
    const double *center = golden_doubles(g, &status, "iso_center", 1, (const int64_t[]){2}, NULL);
    SAC_TRY(status);
    SAC_TRY(golden_number(g, "iso_alpha", &alpha));
    sac_head head = sac_head_isotropic(alpha, center[0], center[1]);
    SAC_TRY(encode(g, "t_iso", &head, 0, SAC_HEAD_ISOTROPIC));
    return run_heads(g, image, &head, 1, NULL, "iso_probs", NULL);
}

static sac_status run_general(golden *g, const scene *image)
{
    const sac_tensor *mu;
    sac_status status = SAC_OK;
    const double *centers = golden_doubles(g, &status, "mu", 2, (const int64_t[]){GOLDEN_ANY, 2}, &mu);
    SAC_TRY(status);
    if (mu->shape[0] > image->weight_count)
        return sac_fail(SAC_ERROR_FORMAT, "mu: %d heads, but Wv has weights for %d", (int)mu->shape[0],
                        image->weight_count);
    int count = (int)mu->shape[0];
    const double *roots = golden_doubles(g, &status, "Sigma_inv_half", 3, (const int64_t[]){count, 2, 2}, NULL);
    sac_head *list = golden_scratch(g, &status, (size_t)count, sizeof *list);
    SAC_TRY(status);
    for (int h = 0; h < count; h++) list[h] = sac_head_from_root(roots + 4 * h, centers[2 * h], centers[2 * h + 1]);
    SAC_TRY(encode(g, "t_gauss", list, count, SAC_HEAD_GENERAL));
    SAC_TRY(encode(g, "t_gauss5", list, count, SAC_HEAD_SHORT));
    return run_heads(g, image, list, count, "out_gauss", "gauss_probs", "gauss_logits");
}

typedef struct relative_inputs
{
    int count, size;
    const float *tokens, *places, *offsets; // [count, size], [count, size], [2 count - 1, size]
} relative_inputs;

static sac_status write_terms(golden *g, const sac_relative *r, const relative_inputs *in)
{
    static const char *const names[] = {"txl_a", "txl_b", "txl_c", "txl_d", "txl_abs"};
    static const int terms[] = {SAC_RELATIVE_A, SAC_RELATIVE_B, SAC_RELATIVE_C, SAC_RELATIVE_D, SAC_RELATIVE_A};
    int n = in->count, offset_count = 2 * n - 1;
    float *logits[5];
    sac_status status = SAC_OK;
    for (int i = 0; i < 5; i++) logits[i] = golden_output(g, &status, names[i], SAC_F32, 2, (const int64_t[]){n, n});
    SAC_TRY(status);
    size_t size = (size_t)in->size;
    float *tokens = golden_scratch(g, &status, size * (size_t)n, sizeof(float));
    float *places = golden_scratch(g, &status, size * (size_t)n, sizeof(float));
    float *offsets = golden_scratch(g, &status, size * (size_t)offset_count, sizeof(float));
    void *workspace = golden_scratch(g, &status, sac_relative_workspace_size(r, n), 1);
    SAC_TRY(status);
    golden_transpose(tokens, in->tokens, n, in->size);
    golden_transpose(places, in->places, n, in->size);
    golden_transpose(offsets, in->offsets, offset_count, in->size);
    for (int i = 0; i < 5; i++)
    {
        if (i == 4) sac_tokens_add(tokens, n, places, n, in->size, n);
        sac_relative_logits(r, logits[i], terms[i], tokens, n, n, offsets, offset_count, workspace);
    }
    return SAC_OK;
}

static sac_status run_relative(golden *g)
{
    const sac_tensor *tokens, *query;
    sac_status status = SAC_OK;
    const int64_t any[] = {GOLDEN_ANY, GOLDEN_ANY};
    const float *token_rows = golden_input(g, &status, "txl_E", 2, any, &tokens);
    golden_input(g, &status, "txl_Wq", 2, any, &query);
    SAC_TRY(status);
    const int64_t n = tokens->shape[0], size = tokens->shape[1], key_size = query->shape[0];
    const int64_t matrix[] = {key_size, size}, plane[] = {n, size}, offsets[] = {2 * n - 1, size};
    relative_inputs in = {.count = (int)n, .size = (int)size, .tokens = token_rows};
    in.places = golden_input(g, &status, "txl_U", 2, plane, NULL);
    in.offsets = golden_input(g, &status, "txl_Rel", 2, offsets, NULL);
    sac_relative r = {.size = (int)size, .key_size = (int)key_size};
    r.query = golden_input(g, &status, "txl_Wq", 2, matrix, NULL);
    r.key = golden_input(g, &status, "txl_WkE", 2, matrix, NULL);
    r.position_key = golden_input(g, &status, "txl_WkR", 2, matrix, NULL);
    r.content_bias = golden_input(g, &status, "txl_u", 1, &key_size, NULL);
    r.place_bias = golden_input(g, &status, "txl_v", 1, &key_size, NULL);
    SAC_TRY(status);
    return write_terms(g, &r, &in);
}

static sac_status read_image(golden *g, scene *image)
{
    const sac_tensor *x, *weights;
    sac_status status = SAC_OK;
    const int *hw = golden_integers(g, &status, "hw", 1, (const int64_t[]){2}, NULL);
    SAC_TRY(status);
    if (hw[0] < 1 || hw[1] < 1 || hw[0] > 1024 || hw[1] > 1024)
        return sac_fail(SAC_ERROR_FORMAT, "hw: %d x %d, expected 1 to 1024", hw[0], hw[1]);
    *image = (scene){.height = hw[0], .width = hw[1], .pixels = hw[0] * hw[1]};
    const float *rows = golden_input(g, &status, "X", 2, (const int64_t[]){image->pixels, GOLDEN_ANY}, &x);
    SAC_TRY(status);
    image->channels = (int)x->shape[1];
    image->weights =
        golden_input(g, &status, "Wv", 3, (const int64_t[]){GOLDEN_ANY, image->channels, GOLDEN_ANY}, &weights);
    SAC_TRY(status);
    image->weight_count = (int)weights->shape[0];
    image->outputs = (int)weights->shape[2];
    image->bias = golden_input(g, &status, "b", 1, (const int64_t[]){image->outputs}, NULL);
    image->planes = golden_scratch(g, &status, sac_tensor_count(x), sizeof(float));
    SAC_TRY(status);
    if (image->weight_count < NINE)
        return sac_fail(SAC_ERROR_FORMAT, "Wv: weights for %d heads, expected nine or more", image->weight_count);
    golden_transpose(image->planes, rows, image->pixels, image->channels);
    return SAC_OK;
}

static sac_status run(golden *g)
{
    scene image;
    SAC_TRY(read_image(g, &image));
    SAC_TRY(run_nine(g, &image));
    SAC_TRY(run_isotropic(g, &image));
    SAC_TRY(run_general(g, &image));
    return run_relative(g);
}

const golden_family golden_conv = {"conv", run};
