#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "classify/trained.h"
#include "cli.h"
#include "commands/nets/convolution_of_heads.h"
#include "commands/nets/own_filter.h"
#include "conversion.h"
#include "files/json.h"
#include "nets/node.h"
#include "target.h"

/// saccade convolution: a convolution turned into a layer of heads and back, and how far each is from the other.

enum
{
    ALPHAS = 64,
    MAX_CHANNELS = 512,
    MAX_SIDE = 512,
    DESCRIPTION = 192 ///< bytes of a line
};

static const cli_flag flags[] = {
    {"layer", "NAME",
     "the net's convolution, such as stage0.block0.convolution1, or layer of heads, such as layer0; default its first; "
     "any is taken with a stride of 1",
     false},
    {"weights", "F.safetensors", "a convolution of yours: weight [K, K, channels, outputs], maybe bias [outputs]",
     false},
    {"size", "K", "without a net: rows and columns of the convolution, default 3", false},
    {"channels", "N", "without a net: channels of the picture, default 3", false},
    {"outputs", "N", "without a net: outputs of the convolution, default 4", false},
    {"side", "N", "pixels on each side of the picture, default 12", false},
    {"alpha", "A,B,...", "how sharp the heads are; default 0.5 to 24 in thirteen steps", false},
    {"seed", "N", "draws the picture, and the convolution without a net; default 0", false},
    {"out", "FILE.svg", "draw errors and bounds over alpha, or into FILE.png", false},
    {"json", NULL, "print one JSON object an alpha", false},
    {0},
};

/// What is converted; the arrays are its own.
typedef struct job
{
    sac_filter filter;
    float *weights, *bias, *x;
    int side;
    int stride; ///< that the net takes it with, and heads do not; 0: it is of no net
    char name[96];
    double alphas[ALPHAS];
    int alpha_count;
} job;

static void clear(job *j)
{
    sac_free(j->weights);
    sac_free(j->bias);
    sac_free(j->x);
}

// ---- what is asked for

static const double least = 0.001, most = 1e6;
static const double default_alphas[] = {0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24};

static bool read_alphas(job *j, const char *text)
{
    if (!text)
    {
        j->alpha_count = sizeof default_alphas / sizeof *default_alphas;
        memcpy(j->alphas, default_alphas, sizeof default_alphas);
        return true;
    }
    while (j->alpha_count < ALPHAS)
    {
        char number[32];
        const size_t length = strcspn(text, ",");
        double alpha;
        snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : sizeof number - 1), text);
        if (length >= sizeof number || !sac_parse_real(number, &alpha) || alpha < least || alpha > most) return false;
        j->alphas[j->alpha_count++] = alpha;
        if (text[length] == 0) return true;
        text += length + 1;
    }
    return false;
}

// ---- a convolution of a net

static bool is_convolution(const net_node *n)
{
    return strncmp(n->op->name, "convolution", strlen("convolution")) == 0;
}

static const char *convolution_name(const void *user, int index)
{
    const sac_net *net = user;
    for (int i = 0; i < net->node_count; i++)
        if (is_convolution(&net->nodes[i]) && index-- == 0) return net->nodes[i].name;
    return NULL;
}

static sac_status find_convolution(const net_node **out, const sac_net *net, const char *name, const char *path)
{
    *out = NULL;
    for (int i = 0; i < net->node_count; i++)
    {
        *out = &net->nodes[i];
        if (is_convolution(*out) && (!name || strcmp((*out)->name, name) == 0)) return SAC_OK;
    }
    if (!convolution_name(net, 0))
        return sac_fail(
            SAC_ERROR_FORMAT,
            "%.400s has neither a convolution (a resnet) nor heads that are one (an attention-net with a quadratic "
            "encoding)",
            path);
    return sac_fail(SAC_ERROR_ARGUMENT, "%.400s has no convolution '%.80s'%s", path, name,
                    sac_did_you_mean(sac_nearest(name, convolution_name, net)));
}

// weights [outputs, taps, channels] of a net become [taps, channels, outputs]
static sac_status take_weights(job *j, const sac_trained_net *net, const net_node *n)
{
    const sac_convolution *c = &n->convolution;
    const float *from = net->parameters + net->net->tensors[n->tensors[0]].first;
    const size_t inputs = (size_t)c->patch * (size_t)c->patch * (size_t)c->channels, outputs = (size_t)c->outputs;
    if (c->patch > SAC_FILTER_MAX)
        return sac_fail(SAC_ERROR_FORMAT, "%s is a convolution of %d x %d, expected %d x %d at most", n->name, c->patch,
                        c->patch, SAC_FILTER_MAX, SAC_FILTER_MAX);
    j->weights = SAC_NEW_MATRIX(float, inputs, outputs);
    if (!j->weights) return sac_fail_memory("a convolution");
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < inputs; i++) j->weights[i * outputs + o] = from[o * inputs + i];
    j->filter = (sac_filter){c->patch, c->channels, c->outputs, j->weights, NULL};
    j->stride = c->stride;
    snprintf(j->name, sizeof j->name, "%.60s", n->name);
    return SAC_OK;
}

static sac_status load(job *j, const sac_trained_net *net, const char *path, const char *name)
{
    const net_node *n = NULL;
    SAC_TRY(find_convolution(&n, net->net, name, path));
    return take_weights(j, net, n);
}

// ---- one that is drawn

static sac_status draw(job *j, int size, int channels, int outputs, uint64_t seed)
{
    const size_t count = (size_t)size * (size_t)size * (size_t)channels * (size_t)outputs;
    j->weights = SAC_NEW_ARRAY(float, count);
    j->bias = SAC_NEW_ARRAY(float, (size_t)outputs);
    if (!j->weights || !j->bias) return sac_fail_memory("a convolution");
    theory_uniform(j->weights, count, seed, 1);
    theory_uniform(j->bias, (size_t)outputs, seed, 2);
    j->filter = (sac_filter){size, channels, outputs, j->weights, j->bias};
    snprintf(j->name, sizeof j->name, "drawn");
    return SAC_OK;
}

// ---- one of the user's

static sac_status load_own(job *j, const char *path)
{
    SAC_TRY(cli_load_filter(&j->filter, &j->weights, &j->bias, path, MAX_CHANNELS));
    snprintf(j->name, sizeof j->name, "%.80s", path);
    return SAC_OK;
}

// ---- what is printed

static void describe(char text[DESCRIPTION], const job *j)
{
    const int size = j->filter.size, channels = j->filter.channels, heads = size * size;
    snprintf(text, DESCRIPTION, "%s, %d x %d, %d channel%s to %d, as %d head%s; a picture of %d x %d", j->name, size,
             size, channels, sac_plural(channels), j->filter.outputs, heads, sac_plural(heads), j->side, j->side);
}

static void print_head(const job *j)
{
    char text[DESCRIPTION];
    describe(text, j);
    printf("convolution %s\n", text);
    if (j->stride > 1)
        printf("taken with a stride of 1; the net's stride of %d keeps fewer of these places\n", j->stride);
    printf("%8s  %-19s  %-19s  %-19s  %-19s  %s\n", "", "no padding", "zeros around", "border repeated",
           "back: outputs", "back: weights");
    printf("%8s", "alpha");
    for (int i = 0; i < 5; i++) printf("  %9s %9s", "error", "bound");
    putchar('\n');
}

static void print_line(const theory_conversion *c)
{
    printf("%8g", c->alpha);
    for (int p = 0; p < 3; p++)
        if (isnan(c->error[p]))
            printf("  %9s %9s", "-", "-");
        else
            printf("  %9.2e %9.2e", c->error[p], c->bound[p]);
    printf("  %9.2e %9.2e  %9.2e %9.2e\n", c->back_error, c->back_bound, c->weight_error, c->weight_bound);
}

static json_t *pair(double error, double bound)
{
    return json_pack("{s:o, s:o}", "error", sac_json_number(error), "bound", sac_json_number(bound));
}

static sac_status print_json(const theory_conversion *c)
{
    return sac_json_print(
        stdout, json_pack("{s:f, s:o, s:o, s:o, s:o, s:o}", "alpha", c->alpha, "none", pair(c->error[0], c->bound[0]),
                          "zeros", pair(c->error[1], c->bound[1]), "repeat", pair(c->error[2], c->bound[2]), "back",
                          pair(c->back_error, c->back_bound), "weights", pair(c->weight_error, c->weight_bound)));
}

static sac_status convert(const cli_args *args, job *j, uint64_t seed, bool *holds)
{
    const size_t pixels = (size_t)j->side * (size_t)j->side;
    theory_conversion found[ALPHAS];
    j->x = SAC_NEW_MATRIX(float, (size_t)j->filter.channels, pixels);
    if (!j->x) return sac_fail_memory("a picture");
    theory_uniform(j->x, (size_t)j->filter.channels * pixels, seed, 0);
    const sac_planes planes = {j->x, j->side, j->side};
    const bool json = cli_has(args, "json");
    if (!json) print_head(j);
    for (int i = 0; i < j->alpha_count; i++)
    {
        SAC_TRY(theory_convert(&found[i], &j->filter, j->alphas[i], &planes));
        *holds = *holds && theory_conversion_holds(&found[i]);
        if (json)
            SAC_TRY(print_json(&found[i]));
        else
            print_line(&found[i]);
    }
    char subtitle[DESCRIPTION];
    describe(subtitle, j);
    const char *path = cli_value(args, "out");
    return path ? theory_draw_conversion(found, j->alpha_count, subtitle, path) : SAC_OK;
}

// A net's convolution becomes heads; heads of a form become the convolution that they are.
static sac_status convert_net(const cli_args *args, job *j, uint64_t seed, bool *holds)
{
    const char *path = cli_positional(args, 0), *layer = cli_value(args, "layer");
    sac_trained_net net;
    SAC_TRY(sac_trained_net_load(&net, path, NULL, 0));
    sac_status status = SAC_OK;
    if (cli_has_gaussian_heads(&net))
    {
        if (cli_has(args, "alpha") || cli_has(args, "out"))
            status = sac_fail(SAC_ERROR_ARGUMENT, "--alpha and --out are for convolutions, and %.400s has heads", path);
        if (status == SAC_OK)
            status = cli_print_convolution_of_heads(&net, layer, path, j->side, seed, cli_has(args, "json"), holds);
    }
    else
    {
        status = load(j, &net, path, layer);
        if (status == SAC_OK) status = convert(args, j, seed, holds);
    }
    sac_trained_net_clear(&net);
    return status;
}

// What does not go together, and a place for the plot that is none, before anything is printed. @return an exit code
static int check(const cli_args *args)
{
    const char *net = cli_positional(args, 0), *own = cli_value(args, "weights"), *out = cli_value(args, "out");
    const bool sizes = cli_has(args, "size") || cli_has(args, "channels") || cli_has(args, "outputs");
    if (net && own) return cli_usage("convolution: --weights is a convolution of yours, without a net");
    if (net && sizes) return cli_usage("convolution: --size, --channels and --outputs are the net's own");
    if (own && sizes) return cli_usage("convolution: --size, --channels and --outputs are those of --weights");
    if (!net && cli_has(args, "layer"))
        return cli_usage("convolution: --layer needs a net: convolution NET.safetensors --layer NAME");
    const size_t length = out ? strlen(out) : 0;
    if (out && (length < 4 || (strcmp(out + length - 4, ".svg") != 0 && strcmp(out + length - 4, ".png") != 0)))
        return cli_usage("convolution: --out '%.200s': expected a name that ends in .svg or .png", out);
    return cli_check_out(args, "out");
}

static sac_status carry_out(const cli_args *args, job *j, const sac_filter *drawn, uint64_t seed, bool *holds)
{
    const char *own = cli_value(args, "weights");
    if (cli_positional(args, 0)) return convert_net(args, j, seed, holds);
    SAC_TRY(own ? load_own(j, own) : draw(j, drawn->size, drawn->channels, drawn->outputs, seed));
    return convert(args, j, seed, holds);
}

static int run(const cli_args *args)
{
    bool ok = true, holds = true;
    const sac_filter drawn = {.size = (int)cli_integer(args, "size", 3, 1, SAC_FILTER_MAX, &ok),
                              .channels = (int)cli_integer(args, "channels", 3, 1, MAX_CHANNELS, &ok),
                              .outputs = (int)cli_integer(args, "outputs", 4, 1, MAX_CHANNELS, &ok)};
    const uint64_t seed = (uint64_t)cli_integer(args, "seed", 0, 0, INT64_MAX, &ok);
    job j = {.side = (int)cli_integer(args, "side", 12, 1, MAX_SIDE, &ok)};
    if (!ok) return CLI_USAGE;
    const int code = check(args);
    if (code != CLI_OK) return code;
    if (!read_alphas(&j, cli_value(args, "alpha")))
        return cli_usage("convolution: --alpha '%.80s': expected up to %d numbers of 0.001 to 1e6, such as 1,2,4.5",
                         cli_value(args, "alpha"), (int)ALPHAS);
    const sac_status status = carry_out(args, &j, &drawn, seed, &holds);
    clear(&j);
    if (status != SAC_OK) return cli_fail(status);
    return holds ? CLI_OK : CLI_FAILURE;
}

const cli_command cli_convolution = {"convolution", "[NET.safetensors]",
                                     "turn a convolution into heads of attention and back: errors beside their bounds",
                                     flags, run};
