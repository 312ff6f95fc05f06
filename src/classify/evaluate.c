#include "classify/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

// --- over a set ---

int sac_classify_count(const sac_classify_task *task, const sac_image_set *set)
{
    const int limit = task->data.limit, count = sac_image_set_count(set);
    return limit > 0 && limit < count ? limit : count;
}

sac_status sac_classify_check_set(const sac_image_set *test, sac_net_shape input, int classes, const char *folder)
{
    sac_net_shape shape;
    sac_image_set_shape(test, &shape.rows, &shape.columns, &shape.channels);
    if (shape.rows != input.rows || shape.columns != input.columns || shape.channels != input.channels)
        return sac_fail(
            SAC_ERROR_FORMAT,
            "%.400s: pictures for testing have %d x %d x %d numbers, those that the net is for %d x %d x %d", folder,
            shape.rows, shape.columns, shape.channels, input.rows, input.columns, input.channels);
    for (int i = 0; i < sac_image_set_count(test); i++)
        if (sac_image_set_label(test, i) >= classes)
            return sac_fail(SAC_ERROR_FORMAT,
                            "%.400s: picture %d for testing has the label %d, and the net has %d classes", folder, i,
                            sac_image_set_label(test, i), classes);
    return SAC_OK;
}

// a minibatch that is read
typedef struct reading
{
    const sac_classify_test *test;
    int first, size;
} reading;

// a thread's share of it
static void see_some(void *user, int thread)
{
    const reading *r = user;
    const sac_classify_test *t = r->test;
    sac_net_shape s;
    sac_image_set_shape(t->set, &s.rows, &s.columns, &s.channels);
    const size_t size = (size_t)s.rows * (size_t)s.columns * (size_t)s.channels;
    for (int i = thread; i < r->size; i += sac_threads_count(t->threads))
    {
        t->labels[i] = sac_image_set_label(t->set, r->first + i);
        sac_image_set_see(t->set, t->view, sac_net_pass_input(t->pass) + (size_t)i * size, r->first + i);
    }
}

void sac_classify_evaluate(sac_classify_score *score, const sac_classify_test *t)
{
    double loss = 0;
    int right = 0;
    const int classes = score->classes;
    memset(score->confusion, 0, (size_t)classes * (size_t)classes * sizeof *score->confusion);
    for (int first = 0; first < t->count; first += t->batch)
    {
        const int left = t->count - first, size = left < t->batch ? left : t->batch;
        sac_threads_run(t->threads, see_some, &(reading){t, first, size});
        const sac_net_outcome o = sac_net_pass_evaluate(t->pass, t->parameters, t->measured, t->labels, size);
        const float *out = sac_net_pass_output(t->pass);
        loss += o.loss;
        right += o.right;
        for (int i = 0; i < size; i++, out += classes)
            score->confusion[t->labels[i] * classes + sac_net_largest(out, classes)]++;
    }
    score->pictures = t->count;
    score->loss = loss / t->count;
    score->accuracy = (double)right / t->count;
}

// --- as a file ---

static sac_status write_confusion(sac_atomic *file, const sac_classify_score *score)
{
    char text[32];
    SAC_TRY(sac_atomic_write(file, "class", strlen("class")));
    for (int i = 0; i <= score->classes; i++)
    {
        // the first line names the columns
        for (int j = 0; j < score->classes; j++)
        {
            snprintf(text, sizeof text, ",%d", i == 0 ? j : score->confusion[(i - 1) * score->classes + j]);
            SAC_TRY(sac_atomic_write(file, text, strlen(text)));
        }
        snprintf(text, sizeof text, i < score->classes ? "\n%d" : "\n", i);
        SAC_TRY(sac_atomic_write(file, text, strlen(text)));
    }
    return SAC_OK;
}

sac_status sac_classify_save_confusion(const sac_classify_score *score, const char *run_dir)
{
    char path[SAC_PATH_SIZE];
    sac_atomic file = {0};
    SAC_TRY(sac_join_path(path, run_dir, "confusion.csv"));
    SAC_TRY(sac_atomic_begin(&file, path));
    sac_status status = write_confusion(&file, score);
    if (status == SAC_OK) return sac_atomic_commit(&file);
    sac_atomic_abort(&file);
    return status;
}

// --- of a net that was read ---

static sac_status evaluate(sac_classify_score *score, const sac_trained_net *n, sac_classify_test *t)
{
    const sac_net_pass_def def = {
        .net = n->net, .threads = t->threads, .slices = n->task->train.slices, .samples = t->batch};
    SAC_TRY(sac_net_pass_create(&t->pass, &def));
    t->labels = SAC_NEW_ARRAY(int, (size_t)t->batch);
    score->confusion = SAC_NEW_MATRIX(int, (size_t)n->classes, (size_t)n->classes);
    if (!t->labels || !score->confusion) return sac_fail_memory("an evaluation");
    score->classes = n->classes;
    score->parameters = sac_net_parameters(n->net);
    sac_classify_evaluate(score, t);
    if (isfinite(score->loss)) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "the loss over the test pictures is %g, expected a number: the net has diverged",
                    score->loss);
}

sac_status sac_trained_net_evaluate(sac_classify_score *score, const sac_trained_net *n, int threads)
{
    *score = (sac_classify_score){0};
    const sac_classify_data *d = &n->task->data;
    sac_image_set *set;
    SAC_TRY(sac_image_set_open(&set, d->format, d->folder, true));
    sac_classify_test t = {.set = set,
                           .view = &n->view,
                           .count = sac_classify_count(n->task, set),
                           .batch = n->task->train.batch,
                           .parameters = n->parameters,
                           .measured = n->measured};
    sac_status status = sac_classify_check_set(set, n->input, n->classes, d->folder);
    if (status == SAC_OK) status = sac_threads_create(&t.threads, threads);
    if (status == SAC_OK) status = evaluate(score, n, &t);
    sac_net_pass_destroy(t.pass);
    sac_threads_destroy(t.threads);
    sac_image_set_close(set);
    sac_free(t.labels);
    if (status == SAC_OK) return SAC_OK;
    sac_free(score->confusion);
    *score = (sac_classify_score){0};
    return status;
}
