#include "failing_memory.h"
#include "scratch.h"

#include "classify/evaluate.h"
#include "files/arrays/safetensors.h"
#include "saccade/classifier.h"

// Nets as `saccade fit` leaves them: a file holds all of them, and what it gives for a picture is what an evaluation
// gives.

enum
{
    COUNT = 90, // pictures, more than two minibatches of a classifier
    SIDE = 8,
    SIZE = SIDE * SIDE,
    CLASSES = 4
};

static const char golden[] = SAC_SOURCE_DIR "/tests/golden/data/net_v2.safetensors";

// --- scenes ---

static const char *const tasks[] = {
    "net: {kind: resnet, width: 3, stages: 2}\ndata: {folder: nowhere, flip: true}\n",
    "net: {kind: attention-net, encoding: transformer-xl, width: 6, layers: 1, heads: 2, hidden: 4, size: 2}\n",
    "net: {kind: vit, attention: trig, width: 6, layers: 1, heads: 2, hidden: 4, features: 3}\ntrain: {slices: 3}\n",
};

// a net of drawn numbers; released by sac_trained_net_clear
static sac_trained_net draw_net(const char *text, int channels)
{
    sac_trained_net n = {.input = {SIDE, SIDE, channels}, .classes = CLASSES};
    sac_classify_task *task;
    assert_int_equal(sac_classify_task_read(&task, text, strlen(text), "text", NULL, 0), SAC_OK);
    n.task = task;
    const sac_net_def def = {task->kind, task->net, n.input, n.classes};
    assert_int_equal(sac_net_create(&n.net, &def), SAC_OK);
    n.parameters = SAC_NEW_ARRAY(float, sac_net_parameters(n.net));
    n.measured = SAC_NEW_ARRAY(float, sac_net_measured(n.net));
    assert_true(n.parameters && n.measured);
    sac_net_draw(n.net, 5, n.parameters, n.measured);
    for (int c = 0; c < SAC_IMAGE_CHANNELS; c++)
    {
        n.view.mean[c] = 0.1 * (c + 1);
        n.view.deviation[c] = 1.0 / (c + 3);
    }
    return n;
}

// bytes without a pattern
static void draw_pictures(uint8_t *pictures, size_t size)
{
    uint32_t state = 7;
    for (size_t i = 0; i < size; i++)
    {
        state = state * 1664525u + 1013904223u;
        pictures[i] = (uint8_t)(state >> 24);
    }
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    assert_int_equal(sac_write_file(scratch_path(name), bytes, size), SAC_OK);
}

// --- files ---

TEST(a_file_holds_the_whole_net)
{
    scratch_open();
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
    {
        sac_trained_net made = draw_net(tasks[i], 1 + (int)i), read;
        char *text, *again;
        assert_int_equal(sac_trained_net_save(&made, scratch_path("net")), SAC_OK);
        assert_int_equal(sac_trained_net_load(&read, scratch_path("net"), NULL, 0), SAC_OK);
        assert_int_equal(sac_classify_task_write(made.task, &text), SAC_OK);
        assert_int_equal(sac_classify_task_write(read.task, &again), SAC_OK);
        assert_string_equal(text, again);
        assert_memory_equal(&made.input, &read.input, sizeof made.input);
        assert_int_equal(made.classes, read.classes);
        assert_memory_equal(made.view.mean, read.view.mean, sizeof made.view.mean);
        assert_memory_equal(made.view.deviation, read.view.deviation, sizeof made.view.deviation);
        assert_int_equal(sac_net_parameters(made.net), sac_net_parameters(read.net));
        assert_memory_equal(made.parameters, read.parameters, sac_net_parameters(made.net) * sizeof(float));
        assert_memory_equal(made.measured, read.measured, sac_net_measured(made.net) * sizeof(float));
        sac_free(text);
        sac_free(again);
        sac_trained_net_clear(&read);
        sac_trained_net_clear(&made);
    }
}

static void refuse(const char *path, const char *words)
{
    sac_classifier *classifier;
    assert_int_equal(sac_classifier_load(&classifier, path, 1), SAC_ERROR_FORMAT);
    assert_null(classifier);
    if (!strstr(sac_last_error(), words)) fail_msg("'%s' does not say '%s'", sac_last_error(), words);
}

// a file of one tensor and these words
static void write_words(const char *kind, const char *version)
{
    const float one = 1;
    const sac_tensor tensor = {"a", SAC_F32, 1, {1}, &one};
    const sac_metadata words[] = {{"format", kind}, {"version", version}, {"checksum", NULL}};
    assert_int_equal(sac_tensors_save(scratch_path("words"), &tensor, 1, words, 3), SAC_OK);
}

TEST(other_files_are_refused)
{
    scratch_open();
    sac_classifier *classifier;
    refuse(SAC_SOURCE_DIR "/tests/golden/data/policy_v1.safetensors",
           "is a policy, not a net that classifies pictures");
    write_words("something", "2");
    refuse(scratch_path("words"), "is no net of 'saccade fit': its metadata does not say 'saccade net'");
    write_words("saccade net", "1");
    refuse(scratch_path("words"), "--resume' writes that of a finished run again");
    write_words("saccade net", "3");
    refuse(scratch_path("words"), "net files of version 3 are unknown, expected 2");
    write_words("saccade net", "2");
    refuse(scratch_path("words"), "the metadata has no 'task'");
    assert_int_equal(sac_classifier_load(&classifier, scratch_path("none"), 1), SAC_ERROR_FILE);
    assert_int_equal(sac_classifier_load(&classifier, golden, 0), SAC_ERROR_ARGUMENT);
    assert_int_equal(sac_classifier_load(&classifier, golden, 1025), SAC_ERROR_ARGUMENT);
    assert_null(classifier);
}

TEST(numbers_that_are_none_are_refused)
{
    scratch_open();
    sac_trained_net n = draw_net(tasks[0], 1);
    n.parameters[3] = NAN;
    assert_int_equal(sac_trained_net_save(&n, scratch_path("net")), SAC_OK);
    refuse(scratch_path("net"), "holds nan, expected finite numbers");
    n.parameters[3] = 0;
    n.view.deviation[0] = 0;
    assert_int_equal(sac_trained_net_save(&n, scratch_path("net")), SAC_OK);
    refuse(scratch_path("net"), "expected finite numbers and a deviation above 0");
    n.view.deviation[0] = 1;
    n.classes = 5; // of a net that has four
    assert_int_equal(sac_trained_net_save(&n, scratch_path("net")), SAC_OK);
    refuse(scratch_path("net"), "linear");
    sac_trained_net_clear(&n);
}

// --- pictures ---

// what the net's own pass gives for one picture
static void evaluate_one(float *out, const sac_trained_net *n, const uint8_t *picture)
{
    sac_threads *threads;
    sac_net_pass *pass;
    assert_int_equal(sac_threads_create(&threads, 1), SAC_OK);
    const sac_net_pass_def def = {.net = n->net, .threads = threads, .slices = 1, .samples = 1};
    assert_int_equal(sac_net_pass_create(&pass, &def), SAC_OK);
    sac_image_see(&n->view, sac_net_pass_input(pass), picture, SIDE, SIDE, n->input.channels);
    (void)sac_net_pass_evaluate(pass, n->parameters, n->measured, NULL, 1);
    memcpy(out, sac_net_pass_output(pass), CLASSES * sizeof *out);
    sac_net_pass_destroy(pass);
    sac_threads_destroy(threads);
}

// Probabilities are the softmax of the outputs: a float's half unit of the last place of each, and libm's exponentials
// and the series agree to far less.
TEST(probabilities_are_those_of_the_outputs)
{
    static uint8_t pictures[COUNT * SIZE * 3];
    static float probabilities[COUNT * CLASSES];
    int best[COUNT];
    scratch_open();
    draw_pictures(pictures, sizeof pictures);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
    {
        const int channels = 1 + (int)i;
        sac_trained_net n = draw_net(tasks[i], channels);
        sac_classifier *classifier;
        assert_int_equal(sac_trained_net_save(&n, scratch_path("net")), SAC_OK);
        assert_int_equal(sac_classifier_load(&classifier, scratch_path("net"), 2), SAC_OK);
        sac_classifier_run(classifier, pictures, COUNT, best, probabilities);
        for (int k = 0; k < COUNT; k++)
        {
            float out[CLASSES];
            double sum = 0;
            evaluate_one(out, &n, pictures + (size_t)k * SIZE * (size_t)channels);
            assert_int_equal(best[k], sac_net_largest(out, CLASSES));
            for (int c = 0; c < CLASSES; c++) sum += exp((double)out[c] - (double)out[best[k]]);
            for (int c = 0; c < CLASSES; c++)
            {
                const double expected = exp((double)out[c] - (double)out[best[k]]) / sum;
                assert_true(fabs((double)probabilities[k * CLASSES + c] - expected) <= 6e-8 * expected);
            }
        }
        sac_classifier_destroy(classifier);
        sac_trained_net_clear(&n);
    }
}

TEST(any_number_of_threads_and_of_pictures_gives_the_same_bits)
{
    static uint8_t pictures[COUNT * SIZE];
    static float one[COUNT * CLASSES], other[COUNT * CLASSES];
    int best[2][COUNT];
    draw_pictures(pictures, sizeof pictures);
    sac_classifier *classifier;
    assert_int_equal(sac_classifier_load(&classifier, golden, 1), SAC_OK);
    sac_classifier_run(classifier, pictures, COUNT, best[0], one);
    for (int i = 0; i < COUNT; i++)
        sac_classifier_run(classifier, pictures + (size_t)i * SIZE, 1, best[1] + i, other + (ptrdiff_t)i * CLASSES);
    assert_memory_equal(best[0], best[1], sizeof best[0]);
    assert_memory_equal(one, other, sizeof one);
    sac_classifier_run(classifier, pictures, 0, NULL, NULL);
    sac_classifier_destroy(classifier);
    for (int threads = 2; threads < 40; threads += 18)
    {
        assert_int_equal(sac_classifier_load(&classifier, golden, threads), SAC_OK);
        memset(other, 0, sizeof other);
        sac_classifier_run(classifier, pictures, COUNT, NULL, other);
        assert_memory_equal(one, other, sizeof one);
        sac_classifier_run(classifier, pictures, COUNT, best[1], NULL);
        assert_memory_equal(best[0], best[1], sizeof best[0]);
        sac_classifier_destroy(classifier);
    }
}

// pictures of a set, counted, are what is said of them one by one
TEST(an_evaluation_counts_what_the_classifier_says)
{
    uint8_t pictures[16 + COUNT * SIZE] = {0, 0, 8, 3, 0, 0, 0, COUNT, 0, 0, 0, SIDE, 0, 0, 0, SIDE};
    uint8_t labels[8 + COUNT] = {0, 0, 8, 1, 0, 0, 0, COUNT};
    int best[COUNT], table[CLASSES * CLASSES] = {0}, right = 0;
    scratch_open();
    draw_pictures(pictures + 16, COUNT * SIZE);
    for (int i = 0; i < COUNT; i++) labels[8 + i] = (uint8_t)(i % CLASSES);
    write_bytes("t10k-images-idx3-ubyte", pictures, sizeof pictures);
    write_bytes("t10k-labels-idx1-ubyte", labels, sizeof labels);
    sac_classifier *classifier;
    assert_int_equal(sac_classifier_load(&classifier, golden, 1), SAC_OK);
    sac_classifier_run(classifier, pictures + 16, COUNT, best, NULL);
    sac_classifier_destroy(classifier);
    for (int i = 0; i < COUNT; i++)
    {
        table[i % CLASSES * CLASSES + best[i]]++;
        right += best[i] == i % CLASSES;
    }
    double loss = 0;
    for (int threads = 1; threads < 4; threads++)
    {
        const sac_setting settings[] = {{"data.folder", scratch}};
        sac_trained_net n;
        sac_classify_score score;
        assert_int_equal(sac_trained_net_load(&n, golden, settings, 1), SAC_OK);
        assert_int_equal(sac_trained_net_evaluate(&score, &n, threads), SAC_OK);
        assert_memory_equal(score.confusion, table, sizeof table);
        assert_int_equal(score.pictures, COUNT);
        assert_true(score.accuracy == (double)right / COUNT && score.loss > 0);
        if (threads > 1) assert_true(score.loss == loss);
        loss = score.loss;
        sac_free(score.confusion);
        sac_trained_net_clear(&n);
    }
}

// --- memory ---

// finite numbers that are too large to compute with
TEST(an_evaluation_without_a_loss_is_none)
{
    uint8_t pictures[16 + SIZE] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, SIDE, 0, 0, 0, SIDE};
    const uint8_t labels[9] = {0, 0, 8, 1, 0, 0, 0, 1, 2};
    scratch_open();
    draw_pictures(pictures + 16, SIZE);
    write_bytes("t10k-images-idx3-ubyte", pictures, sizeof pictures);
    write_bytes("t10k-labels-idx1-ubyte", labels, sizeof labels);
    const sac_setting settings[] = {{"data.folder", scratch}};
    sac_trained_net n;
    sac_classify_score score;
    assert_int_equal(sac_trained_net_load(&n, golden, settings, 1), SAC_OK);
    for (size_t i = 0; i < sac_net_parameters(n.net); i++) n.parameters[i] *= 1e30f;
    assert_int_equal(sac_trained_net_evaluate(&score, &n, 1), SAC_ERROR_FORMAT);
    assert_non_null(strstr(sac_last_error(), "the net has diverged"));
    assert_null(score.confusion);
    sac_trained_net_clear(&n);
}

TEST(lack_of_memory_is_survived)
{
    sac_classifier *classifier;
    assert_survives_lack_of_memory(sac_classifier_load(&classifier, golden, 2), sac_classifier_destroy(classifier));
    scratch_open();
    sac_trained_net n = draw_net(tasks[1], 1);
    assert_survives_lack_of_memory(sac_trained_net_save(&n, scratch_path("net")), (void)0);
    sac_trained_net_clear(&n);
}

// an allocator that has nothing left
static void *refuse_memory(void *user, size_t size, size_t alignment)
{
    (void)size, (void)alignment;
    ++*(int *)user;
    return NULL;
}

static void release_nothing(void *user, void *memory)
{
    (void)user, (void)memory;
}

TEST(classifying_allocates_nothing)
{
    static uint8_t pictures[COUNT * SIZE];
    static float probabilities[COUNT * CLASSES];
    int asked = 0;
    sac_classifier *classifier;
    assert_int_equal(sac_classifier_load(&classifier, golden, 2), SAC_OK);
    sac_set_allocator(&(sac_allocator){refuse_memory, release_nothing, &asked});
    sac_classifier_run(classifier, pictures, COUNT, NULL, probabilities);
    sac_set_allocator(NULL);
    assert_int_equal(asked, 0);
    sac_classifier_destroy(classifier);
}

TESTS(a_file_holds_the_whole_net, other_files_are_refused, numbers_that_are_none_are_refused,
      probabilities_are_those_of_the_outputs, any_number_of_threads_and_of_pictures_gives_the_same_bits,
      an_evaluation_counts_what_the_classifier_says, an_evaluation_without_a_loss_is_none, lack_of_memory_is_survived,
      classifying_allocates_nothing)
