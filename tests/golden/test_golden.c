#include <unistd.h>

#include "files/arrays/safetensors.h"
#include "test.h"

/// build/golden against the reference arrays, on every CPU level of this machine. The program is given the inputs
/// alone.

/// A family: what it is given, what is not compared, and how near its results must be. A row for each.
typedef struct family
{
    const char *name;
    const char *inputs[48]; ///< the program gets these alone; NULL at the end
    const char *ignored[8]; ///< outputs that are diagnostics of the reference; NULL at the end
    double tolerance;       ///< of an array's largest magnitude
    const char *loose[16];  ///< arrays with ten times that tolerance; NULL at the end
} family;

static const family agent = {
    .name = "agent", .inputs = {"image", "theta", "hyper", "scale"}, .ignored = {"margin"}, .tolerance = 1e-4};
static const family conv = {.name = "conv",
                            .inputs = {"hw", "X", "Wv", "b", "alpha", "iso_alpha", "iso_center", "mu", "Sigma_inv_half",
                                       "abc", "txl_E", "txl_U", "txl_Rel", "txl_Wq", "txl_WkE", "txl_WkR", "txl_u",
                                       "txl_v"},
                            .tolerance = 1e-4};
static const family features = {
    .name = "features",
    .inputs = {"Q", "K", "V", "G_blocks", "norm_src", "Xi", "mode"},
    .tolerance = 1e-4,
    .loose = {"phi_hyb_q", "phi_hyb_k", "r_hyb", "att_hyb_unnorm", "r_trig", "att_trig_unnorm"}};
static const family sara = {
    .name = "sara", .inputs = {"Xq", "Xk", "V", "WQ", "WK", "GQ", "GK", "v", "dO", "eps"}, .tolerance = 1e-4};
static const family iap = {
    .name = "iap",
    .inputs = {"X", "W_Q", "W_K", "W", "V", "p1", "P", "gamma", "beta", "X_next", "lsh_G", "tree_u"},
    .ignored = {"margin", "lsh_min_abs_proj"},
    .tolerance = 1e-4,
    .loose = {"lsh_scores"}};
static const family es = {
    .name = "es",
    .inputs = {"theta", "delta", "r_plus", "r_minus", "hyper_lr_sigma_top", "cma_sigma0", "cma_X", "cma_f"},
    .tolerance = 1e-10};
static const family codec = {.name = "codec", .inputs = {"action", "lo", "hi"}, .tolerance = 0x1p-24};
static const family pct = {.name = "pct",
                           .inputs = {"cloud",      "center",     "major_axis", "p.emb.W1",  "p.emb.b1",  "p.emb.W2",
                                      "p.emb.b2",   "p.l0.WQ",    "p.l0.WK",    "p.l0.WV",   "p.l0.WO",   "p.l0.bO",
                                      "p.l0.ln1.g", "p.l0.ln1.b", "p.l0.W1",    "p.l0.b1",   "p.l0.W2",   "p.l0.b2",
                                      "p.l0.ln2.g", "p.l0.ln2.b", "p.l1.WQ",    "p.l1.WK",   "p.l1.WV",   "p.l1.WO",
                                      "p.l1.bO",    "p.l1.ln1.g", "p.l1.ln1.b", "p.l1.W1",   "p.l1.b1",   "p.l1.W2",
                                      "p.l1.b2",    "p.l1.ln2.g", "p.l1.ln2.b", "p.head.W1", "p.head.b1", "p.head.W2",
                                      "p.head.b2"},
                           .tolerance = 1e-4};
static const family theory = {.name = "theory", .inputs = {"d", "m", "r", "x", "y"}, .tolerance = 1e-10};

static bool is_one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static double element(const sac_tensor *tensor, size_t i)
{
    switch (tensor->dtype)
    {
    case SAC_F32: return (double)((const float *)tensor->data)[i];
    case SAC_F64: return ((const double *)tensor->data)[i];
    case SAC_I32: return ((const int32_t *)tensor->data)[i];
    case SAC_I64: return (double)((const int64_t *)tensor->data)[i];
    case SAC_U8: return ((const uint8_t *)tensor->data)[i];
    }
    return NAN;
}

// floats to `tolerance` of the array's largest magnitude, whole numbers exactly
static void compare(const sac_tensor *expected, const sac_tensor *got, double tolerance)
{
    size_t count = sac_tensor_count(expected);
    assert_int_equal(got->dtype, expected->dtype);
    assert_int_equal(got->rank, expected->rank);
    for (int i = 0; i < expected->rank; i++) assert_int_equal(got->shape[i], expected->shape[i]);
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(element(expected, i)));
    bool real = expected->dtype == SAC_F32 || expected->dtype == SAC_F64;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(element(got, i) - element(expected, i)) <= (real ? tolerance * largest : 0)))
            fail_msg("%s[%zu] is %.9g, expected %.9g", expected->name, i, element(got, i), element(expected, i));
}

static void write_inputs(const sac_tensors *reference, const char *const *inputs, const char *path)
{
    sac_tensor list[48];
    int count = 0;
    for (int i = 0; inputs[i]; i++)
    {
        const sac_tensor *tensor = sac_tensors_find(reference, inputs[i]);
        assert_non_null(tensor);
        list[count++] = *tensor;
    }
    assert_ok(sac_tensors_save(path, list, count, NULL, 0));
}

static void check_level(const sac_tensors *reference, const family *f, const char *in, const char *out,
                        const char *level)
{
    char command[2048];
    snprintf(command, sizeof command, "SACCADE_CPU=%s '%s' %s '%s' '%s'", level, GOLDEN, f->name, in, out);
    assert_int_equal(system(command), 0);
    sac_tensors *result;
    assert_ok(sac_tensors_load(&result, out, (size_t)1 << 30));
    int compared = 0;
    for (int i = 0; i < sac_tensors_count(reference); i++)
    {
        const sac_tensor *expected = sac_tensors_at(reference, i);
        if (is_one_of(expected->name, f->inputs) || is_one_of(expected->name, f->ignored)) continue;
        const sac_tensor *got = sac_tensors_find(result, expected->name);
        if (!got) fail_msg("%s is missing", expected->name);
        compare(expected, got, is_one_of(expected->name, f->loose) ? 10 * f->tolerance : f->tolerance);
        compared++;
    }
    assert_true(compared >= 3);
    sac_tensors_destroy(result);
}

// the whole set lies beside the project; the smaller cases are also part of it
static void check_case(const family *f, const char *name)
{
    char path[256], in[512], out[512];
    sac_tensors *reference;
    snprintf(path, sizeof path, "../shared/golden/kernels/%s.safetensors", name);
    if (access(path, R_OK) != 0) snprintf(path, sizeof path, "tests/golden/data/%s.safetensors", name);
    assert_ok(sac_tensors_load(&reference, path, (size_t)1 << 30));

    snprintf(in, sizeof in, "%s/%s_in.safetensors", GOLDEN_SCRATCH, name);
    snprintf(out, sizeof out, "%s/%s_out.safetensors", GOLDEN_SCRATCH, name);
    write_inputs(reference, f->inputs, in);
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level(level);
        // a level that the machine lacks is a lower one, which had its turn
        if (sac_get_cpu_level() == level) check_level(reference, f, in, out, sac_cpu_level_name(level));
    }
    sac_tensors_destroy(reference);
}

TEST(agent_carracing)
{
    check_case(&agent, "agent_carracing");
}
TEST(agent_takecover)
{
    check_case(&agent, "agent_takecover");
}
TEST(agent_scale_sqrt_d)
{
    check_case(&agent, "agent_scale_sqrt_d");
}
TEST(agent_tie)
{
    check_case(&agent, "agent_tie");
}
TEST(conv_a)
{
    check_case(&conv, "conv_a");
}
TEST(features_scaled)
{
    check_case(&features, "features_scaled");
}
TEST(features_normalized)
{
    check_case(&features, "features_normalized");
}
TEST(sara_a)
{
    check_case(&sara, "sara_a");
}
TEST(iap_a)
{
    check_case(&iap, "iap_a");
}
TEST(es_a)
{
    check_case(&es, "es_a");
}
TEST(codec_a)
{
    check_case(&codec, "codec_a");
}

TEST(pct_a)
{
    check_case(&pct, "pct_a");
}

TEST(theory_a)
{
    check_case(&theory, "theory_a");
}

TEST(unknown_families_are_refused)
{
    char command[2048];
    snprintf(command, sizeof command, "'%s' agnet a b 2>&1 | grep -q \"did you mean 'agent'\"", GOLDEN);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "'%s' agnet a b 2>/dev/null", GOLDEN);
    assert_int_not_equal(system(command), 0);
}

TESTS(agent_carracing, agent_takecover, agent_scale_sqrt_d, agent_tie, conv_a, es_a, features_scaled,
      features_normalized, iap_a, sara_a, codec_a, pct_a, theory_a, unknown_families_are_refused)
