#include "nets_scene.h"

#include "files/arrays/safetensors.h"
#include "nets/node.h"

/// Nets for images of every form, over two shapes of pictures, and some over large ones: their outputs, in training and
/// in an evaluation, and gradients, for PyTorch: nets FILE.

enum
{
    MOST = 8192
};

static sac_tensor tensors[MOST];
static char names[MOST][128];
static int count;

static void put(const char *form, const char *what, const char *name, const float *data, int rank, const int64_t *shape)
{
    assert_true(count < MOST);
    snprintf(names[count], sizeof names[count], "%s/%s/%s", form, what, name);
    tensors[count] = (sac_tensor){.name = names[count], .dtype = SAC_F32, .rank = rank, .data = data};
    for (int i = 0; i < rank; i++) tensors[count].shape[i] = shape[i];
    count++;
}

// what batch norms have kept, [2, channels] each: means, variances
static void put_measured(const char *name, const net_scene *s)
{
    for (int i = 0; i < s->net->node_count; i++)
    {
        const net_node *n = &s->net->nodes[i];
        const int64_t shape[] = {2, s->net->values[n->out].channels};
        if (n->op->measure) put(name, "measured", n->name, s->measured + n->measured, 2, shape);
    }
}

// the outputs of an evaluation, in whose pass values share memory
static void put_evaluated(const char *name, const net_scene *s)
{
    sac_net_pass *pass;
    const sac_net_pass_def def = {.net = s->net, .threads = s->threads, .slices = 3, .samples = NET_SAMPLES};
    const size_t size = NET_SAMPLES * NET_CLASSES * sizeof(float);
    float *out = net_memory(size);
    assert_int_equal(sac_net_pass_create(&pass, &def), SAC_OK);
    memcpy(sac_net_pass_input(pass), s->pictures, NET_SAMPLES * s->picture * sizeof(float));
    (void)sac_net_pass_evaluate(pass, s->parameters, s->measured, NULL, NET_SAMPLES);
    memcpy(out, sac_net_pass_output(pass), size);
    sac_net_pass_destroy(pass);
    put(name, "out", "evaluated", out, 2, (int64_t[]){NET_SAMPLES, NET_CLASSES}); // lives as long as the program
}

static void put_scene(const char *name, net_scene *s)
{
    // gradients, outputs and what is measured are the first minibatch's; pictures are [rows, columns, channels]
    const sac_net_shape p = sac_net_value_shape(s->net, 0);
    (void)net_scene_train(s);
    put(name, "in", "pictures", s->pictures, 4, (int64_t[]){NET_SAMPLES, p.rows, p.columns, p.channels});
    put(name, "out", "logits", sac_net_pass_output(s->pass), 2, (int64_t[]){NET_SAMPLES, NET_CLASSES});
    for (int i = 0; i < sac_net_tensor_count(s->net); i++)
    {
        const sac_net_tensor *t = sac_net_tensor_at(s->net, i);
        put(name, "tensor", t->name, s->parameters + t->first, t->rank, t->shape);
        put(name, "gradient", t->name, s->gradient + t->first, t->rank, t->shape);
    }
    put_measured(name, s);
    put_evaluated(name, s);
}

// More tokens than softmax takes at a time of queries and keys, and residual nets of as many stages as ResNets have. Of
// ReLU's 270,000 features some would lie so near to the corner that floats and doubles are on its two sides.
static const net_form large_forms[] = {
    NET_VIT("softmax_large", "softmax"),
    NET_VIT("square_large", "square"),
    NET_VIT("positive_large", "positive"),
    {"resnet_large", "resnet", {"width", "4", "stages", "4"}, false},
};
enum
{
    LARGE = sizeof large_forms / sizeof *large_forms
};
static const sac_net_shape large_pictures = {66, 68, NET_CHANNELS}; // 33 x 34 tokens

static net_scene scenes[2 * NET_FORMS + LARGE];
static int scene_count;

static void put_form(const char *name, const net_form *form, sac_net_shape pictures)
{
    net_scene *s = &scenes[scene_count++];
    *s = net_scene_create_of(form, pictures, 1);
    put_scene(name, s);
}

int main(int argc, char **argv)
{
    static char wide[NET_FORMS][64];
    if (argc != 2) return 2;
    for (int i = 0; i < NET_FORMS; i++)
    {
        put_form(net_forms[i].name, &net_forms[i], net_pictures(&net_forms[i]));
        snprintf(wide[i], sizeof wide[i], "%s_wide", net_forms[i].name);
        put_form(wide[i], &net_forms[i], net_wide);
    }
    for (int i = 0; i < LARGE; i++) put_form(large_forms[i].name, &large_forms[i], large_pictures);
    const sac_status status = sac_tensors_save(argv[1], tensors, count, NULL, 0);
    for (int i = 0; i < scene_count; i++) net_scene_destroy(&scenes[i]);
    if (status != SAC_OK) fprintf(stderr, "%s\n", sac_last_error());
    return status == SAC_OK ? 0 : 1;
}
