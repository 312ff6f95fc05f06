#include "classify/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "classify/ranks.h"
#include "classify/start.h"
#include "classify/told.h"
#include "files/atomic.h"
#include "images/set.h"
#include "learn/optimiser.h"
#include "nets/pass.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/rows.h"

/// The loop of training. Everything that a step depends on is a function of the task and of how many steps were taken,
/// or it stands in the checkpoint.

enum
{
    DROP_STREAM = 0x66697473, // of the seed
    PROGRESS_NUMBERS = 4,     // steps, and of the epoch under way: pictures, loss, right ones
};

// What a checkpoint holds must be the same on any machine, so the time that each was written at lies beside them.
static const char times_name[] = "seconds.csv", times_header[] = "step,seconds";

static const char header[] = "epoch,steps,seconds,rate,loss,accuracy,test_loss,test_accuracy";

typedef struct fit
{
    sac_classify_def def;
    const sac_classify_task *task;
    sac_image_set *train, *test;
    sac_image_view view;
    sac_net *net;
    sac_threads *threads;
    sac_classify_ranks ranks;
    sac_net_pass *pass;
    sac_optimiser *optimiser;
    sac_rows *rows, *times;
    sac_classify_told *told;
    sac_trained_net net_as_it_is; // its numbers are those below
    sac_folder folder;
    float *parameters, *measured, *gradient;
    void *scratch; // of the table of layers that the optimiser uses
    int *order, *labels;
    int count, test_count; // pictures that are used
    int steps_an_epoch, classes;
    int64_t known[SAC_CLASSIFY_KNOWN];
    bool unknown;             // the checkpoint that is read is of before they were kept
    sac_classify_score score; // of the last evaluation
    double begin, end;        // clock of second 0 of the training, resumed parts included; of the time limit, 0: none
    double stepping;          // seconds of this process's steps
    double numbers[PROGRESS_NUMBERS];
    int first;  // of the minibatch that is read
    int copied; // tensors of another net that the run began with
} fit;

static bool writes(const fit *f)
{
    return sac_classify_ranks_write(&f->ranks);
}

// --- making it ---

static sac_status open_data(fit *f)
{
    const sac_classify_data *d = &f->task->data;
    sac_net_shape input;
    SAC_TRY(sac_image_set_open(&f->train, d->format, d->folder, false));
    SAC_TRY(sac_image_set_open(&f->test, d->format, d->folder, true));
    sac_image_set_shape(f->train, &input.rows, &input.columns, &input.channels);
    f->classes = sac_image_set_classes(f->train);
    f->count = sac_classify_count(f->task, f->train);
    if (sac_image_set_one_class(f->train, f->count))
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: all %d pictures for training that are used have class %d, expected two classes or "
                        "more",
                        d->folder, f->count, sac_image_set_label(f->train, 0));
    SAC_TRY(sac_classify_check_set(f->test, input, f->classes, d->folder));
    const int side = input.rows < input.columns ? input.rows : input.columns;
    if (d->padding >= side)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "data.padding is %d, expected less than %d: a crop of these pictures could be black all over",
                        d->padding, side);
    f->test_count = sac_classify_count(f->task, f->test);
    sac_image_set_measure(f->train, &f->view);
    f->view.padding = d->padding;
    f->view.flip = d->flip;
    sac_classify_know(f->known, f->train, f->test);
    return SAC_OK;
}

static sac_status create_net(fit *f)
{
    sac_net_def def = {.kind = f->task->kind, .config = f->task->net, .classes = f->classes};
    sac_image_set_shape(f->train, &def.input.rows, &def.input.columns, &def.input.channels);
    SAC_TRY(sac_net_create(&f->net, &def));
    SAC_TRY(sac_threads_create(&f->threads, f->def.threads));
    const sac_net_pass_def pass = {.net = f->net,
                                   .threads = f->threads,
                                   .slices = f->task->train.slices,
                                   .samples = f->task->train.batch,
                                   .backward = true,
                                   .momentum = 0.1,
                                   .profile = f->def.profile,
                                   .exchange = {.part = sac_comm_rank(f->ranks.comm),
                                                .parts = sac_comm_size(f->ranks.comm),
                                                .gather = sac_classify_ranks_gather,
                                                .user = &f->ranks}};
    return sac_net_pass_create(&f->pass, &pass);
}

static sac_status create_optimiser(fit *f)
{
    const sac_classify_train *t = &f->task->train;
    const uint64_t steps = (uint64_t)f->steps_an_epoch * (uint64_t)t->epochs;
    sac_optimiser_def def = sac_optimiser_default_def();
    (void)sac_optimiser_find(&def.kind, t->optimiser); // the options have checked it
    def.rate = t->rate;
    def.momentum = t->momentum;
    def.decay = t->decay;
    def.undecayed = sac_net_parameters(f->net) - sac_net_decaying(f->net);
    if (strcmp(t->schedule, "cosine") == 0)
    {
        def.steps = steps;
        def.warm_steps = (uint64_t)(t->warm * (double)steps);
    }
    return sac_optimiser_create(&f->optimiser, &def, sac_net_parameters(f->net));
}

// What a run begins with, if not with what was drawn. A run that goes on needs it only where it has no checkpoint yet.
static sac_status begin_with(fit *f)
{
    const char *path = f->task->train.start;
    if (!*path || f->copied > 0) return SAC_OK;
    return sac_classify_start(path, f->task->kind, f->net, sac_net_value_shape(f->net, 0), f->parameters, f->measured,
                              &f->copied);
}

static sac_status create(fit *f)
{
    SAC_TRY(open_data(f));
    SAC_TRY(create_net(f));
    // the last pictures of an epoch that fill no minibatch are left out; the next epoch has another order
    f->steps_an_epoch = f->count / f->task->train.batch;
    if (f->steps_an_epoch == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "train.batch is %d, and there are %d pictures", f->task->train.batch,
                        f->count);
    SAC_TRY(create_optimiser(f));
    const size_t parameters = sac_net_parameters(f->net);
    f->parameters = SAC_NEW_ARRAY(float, parameters);
    f->gradient = SAC_NEW_ARRAY(float, parameters);
    f->measured = SAC_NEW_ARRAY(float, sac_net_measured(f->net));
    f->scratch = sac_alloc(SAC_LEARN_SCRATCH);
    f->order = SAC_NEW_ARRAY(int, (size_t)sac_image_set_count(f->train));
    f->labels = SAC_NEW_ARRAY(int, (size_t)f->task->train.batch);
    f->score = (sac_classify_score){.parameters = parameters, .classes = f->classes};
    f->score.confusion = SAC_NEW_MATRIX(int, (size_t)f->classes, (size_t)f->classes);
    if (!f->parameters || !f->gradient || !f->measured || !f->scratch || !f->order || !f->labels || !f->score.confusion)
        return sac_fail_memory("a fit");
    sac_net_draw(f->net, f->task->train.seed, f->parameters, f->measured);
    return f->def.resume ? SAC_OK : begin_with(f);
}

static void destroy(fit *f, sac_status status)
{
    (void)sac_rows_close(f->rows);
    (void)sac_rows_close(f->times);
    (void)sac_classify_told_close(f->told);
    sac_folder_close(&f->folder);
    sac_optimiser_destroy(f->optimiser);
    sac_net_pass_destroy(f->pass);
    sac_threads_destroy(f->threads);
    sac_classify_ranks_close(&f->ranks, status);
    sac_net_destroy(f->net);
    sac_image_set_close(f->train);
    sac_image_set_close(f->test);
    sac_free(f->parameters);
    sac_free(f->gradient);
    sac_free(f->measured);
    sac_free(f->scratch);
    sac_free(f->order);
    sac_free(f->labels);
    sac_free(f->score.confusion);
}

// --- checkpoints ---

static int list_arrays(void *self, sac_kept_array *arrays, int capacity)
{
    fit *f = self;
    const size_t parameters = sac_net_parameters(f->net);
    sac_optimiser_array state[SAC_OPTIMISER_ARRAYS];
    const int states = sac_optimiser_list(f->optimiser, state);
    int count = 0;
    SAC_ASSERT(capacity >= 4 + SAC_OPTIMISER_ARRAYS);
    (void)capacity;
    arrays[count++] = (sac_kept_array){"parameters", SAC_F32, f->parameters, parameters};
    arrays[count++] = (sac_kept_array){"measured", SAC_F32, f->measured, sac_net_measured(f->net)};
    arrays[count++] = (sac_kept_array){"progress", SAC_F64, f->numbers, PROGRESS_NUMBERS};
    arrays[count++] = (sac_kept_array){"data", SAC_I64, f->known, f->unknown ? 0 : SAC_CLASSIFY_KNOWN};
    for (int i = 0; i < states; i++)
        arrays[count++] = (sac_kept_array){state[i].name, SAC_F32, state[i].numbers, parameters};
    return count;
}

static sac_status restored(void *self)
{
    fit *f = self;
    const double most = (double)f->steps_an_epoch * f->task->train.epochs;
    if (!(f->numbers[0] >= 0 && f->numbers[0] <= most))
        return sac_fail(SAC_ERROR_FORMAT, "the checkpoint is of step %g, and the run has %g", f->numbers[0], most);
    sac_optimiser_set_steps(f->optimiser, (uint64_t)f->numbers[0]);
    return SAC_OK;
}

static sac_kept kept_of(fit *f)
{
    return (sac_kept){.self = f, .section = "fit", .arrays = list_arrays, .restored = restored};
}

static uint64_t steps_of(const fit *f)
{
    return (uint64_t)f->numbers[0];
}

static sac_status write_checkpoint(fit *f)
{
    if (!writes(f)) return SAC_OK;
    double none = 0;
    const sac_run_state state = {.generation = steps_of(f),
                                 .steps = steps_of(f),
                                 .best_evaluation = -INFINITY,
                                 .average = &none,
                                 .dimension = 1};
    const sac_kept kept = kept_of(f);
    SAC_TRY(sac_rows_add(f->times, steps_of(f), "%.3f", sac_clock() - f->begin));
    return sac_checkpoint_write(f->def.run_dir, &kept, &state);
}

// The data may lie elsewhere by now, but they must be the same. Older checkpoints do not say which they are.
static sac_status check_data(fit *f, const uint8_t *bytes, size_t size)
{
    sac_tensors *file;
    int64_t theirs[SAC_CLASSIFY_KNOWN];
    SAC_TRY(sac_tensors_read(&file, bytes, size, "the checkpoint"));
    const sac_tensor *found = sac_tensors_find(file, "fit.data");
    f->unknown = !found;
    sac_status status = SAC_OK;
    if (found) status = sac_tensors_get(&found, file, "fit.data", SAC_I64, 1, (const int64_t[]){SAC_CLASSIFY_KNOWN});
    if (found && status == SAC_OK)
    {
        memcpy(theirs, found->data, sizeof theirs);
        status = sac_classify_check_known(f->known, theirs, f->task->data.folder);
    }
    sac_tensors_destroy(file);
    if (status == SAC_OK && f->unknown)
        sac_log(SAC_LOG_WARNING,
                "%.400s: the checkpoint is of before runs kept what they learn from: it is taken to be %s",
                f->def.run_dir, f->task->data.folder);
    return status;
}

static sac_status restore(fit *f, const uint8_t *bytes, size_t size)
{
    double none;
    sac_run_state state = {.average = &none, .dimension = 1};
    const sac_kept kept = kept_of(f);
    SAC_TRY(check_data(f, bytes, size));
    SAC_TRY(sac_checkpoint_restore(bytes, size, &kept, &state, f->def.any_cpu_level));
    f->unknown = false; // the next one keeps them
    return SAC_OK;
}

// on rank 0: the folder, and what an earlier part of the run has left there
static sac_status open_folder(fit *f, uint8_t **bytes, size_t *size)
{
    const sac_folder_def def = {.run_dir = f->def.run_dir,
                                .other = {f->task, sac_classify_task_check_same, sac_classify_task_write},
                                .resume = f->def.resume,
                                .host = {.ranks = sac_comm_size(f->ranks.comm),
                                         .threads = f->def.threads,
                                         .generations = (uint64_t)f->task->train.epochs},
                                .interrupt = f->def.interrupt};
    SAC_TRY(sac_folder_open(&f->folder, &def));
    return sac_checkpoint_load(f->def.run_dir, bytes, size);
}

static sac_status open_past(fit *f)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    bool any;
    sac_status status = writes(f) ? open_folder(f, &bytes, &size) : SAC_OK;
    status = sac_classify_ranks_share(&f->ranks, status, &bytes, &size);
    // a rank that could not restore tells the others
    if (status == SAC_OK)
        status = sac_classify_ranks_any(&f->ranks, bytes ? restore(f, bytes, size) : SAC_OK, false, &any);
    sac_free(bytes);
    return status;
}

static sac_status open_run(fit *f)
{
    SAC_TRY(sac_classify_ranks_compare(&f->ranks, f->task, f->known));
    SAC_TRY(open_past(f));
    bool any; // a rank that could not read it tells the others
    SAC_TRY(sac_classify_ranks_any(&f->ranks, steps_of(f) > 0 ? SAC_OK : begin_with(f), false, &any));
    const uint64_t epoch = steps_of(f) / (uint64_t)f->steps_an_epoch;
    f->begin = sac_clock();
    f->end = f->def.time_limit > 0 ? sac_clock() + f->def.time_limit : 0;
    if (!writes(f)) return SAC_OK;
    SAC_TRY(sac_rows_open(&f->rows, f->def.run_dir, "metrics.csv", header, epoch, epoch == 0));
    SAC_TRY(sac_rows_open(&f->times, f->def.run_dir, times_name, times_header, steps_of(f), steps_of(f) == 0));
    double epochs = 0, checkpoint = 0; // runs of before the times of checkpoints were kept have those of epochs alone
    (void)sscanf(sac_rows_last(f->rows), "%*u,%*u,%lf,", &epochs);
    (void)sscanf(sac_rows_last(f->times), "%*u,%lf", &checkpoint);
    f->begin -= fmax(epochs, checkpoint);
    return SAC_OK;
}

// --- minibatches ---

// a thread's share of a minibatch's pictures
static void see_some(void *user, int thread)
{
    fit *f = user;
    int rows, columns, channels;
    sac_image_set_shape(f->train, &rows, &columns, &channels);
    const uint64_t epoch = steps_of(f) / (uint64_t)f->steps_an_epoch;
    const size_t size = (size_t)rows * (size_t)columns * (size_t)channels;
    int from, end;
    sac_net_pass_part(f->pass, f->task->train.batch, &from, &end);
    for (int i = from + thread; i < end; i += f->def.threads)
    {
        float *out = sac_net_pass_input(f->pass) + (size_t)i * size;
        const int index = f->order[f->first + i];
        f->labels[i] = sac_image_set_label(f->train, index);
        sac_image_set_draw(f->train, &f->view, out, index, f->task->train.seed, epoch);
    }
}

// --- rates ---

// the rate of a step's epoch, where it falls by steps
static double rate_of(const fit *f, uint64_t epoch)
{
    int falls[SAC_CLASSIFY_FALLS];
    double rate = f->task->train.rate;
    const int count = sac_classify_task_falls(f->task, falls);
    for (int i = 0; i < count; i++)
        if (epoch >= (uint64_t)falls[i]) rate /= 10;
    return rate;
}

static double last_rate(const fit *f)
{
    const sac_classify_train *t = &f->task->train;
    const uint64_t steps = (uint64_t)f->steps_an_epoch * (uint64_t)t->epochs, last = steps_of(f) - 1;
    if (strcmp(t->schedule, "cosine") != 0) return rate_of(f, last / (uint64_t)f->steps_an_epoch);
    return t->rate * sac_schedule(last, (uint64_t)(t->warm * (double)steps), steps, 0);
}

// --- those who watch ---

static sac_trained_net trained_of(const fit *f)
{
    return (sac_trained_net){.task = f->task,
                             .net = f->net,
                             .input = sac_net_value_shape(f->net, 0),
                             .classes = f->classes,
                             .view = f->view,
                             .parameters = f->parameters,
                             .measured = f->measured};
}

static sac_status begin_to_tell(fit *f)
{
    const uint64_t epoch = steps_of(f) / (uint64_t)f->steps_an_epoch;
    const bool anew = steps_of(f) == 0;
    char ranks[32] = "";
    if (!writes(f)) return SAC_OK;
    if (sac_comm_size(f->ranks.comm) > 1) snprintf(ranks, sizeof ranks, "%d ranks, ", sac_comm_size(f->ranks.comm));
    f->net_as_it_is = trained_of(f);
    SAC_TRY(sac_classify_told_open(&f->told, f->def.run_dir, &f->net_as_it_is, f->test, epoch, steps_of(f)));
    SAC_TRY(sac_classify_tell_event(
        f->told, epoch, anew ? "started" : "resumed", "at step %" PRIu64 " with %s%d thread%s, cpu level %s",
        steps_of(f), ranks, f->def.threads, sac_plural(f->def.threads), sac_cpu_level_name(sac_get_cpu_level())));
    if (f->copied > 0)
        SAC_TRY(sac_classify_tell_event(f->told, epoch, "began", "with %d of %d tensors of %.400s", f->copied,
                                        sac_net_tensor_count(f->net), f->task->train.start));
    return anew ? sac_classify_tell_heads(f->told, 0) : SAC_OK;
}

static sac_status tell_now(fit *f)
{
    if (!writes(f)) return SAC_OK;
    const bool begun = f->numbers[1] > 0;
    const sac_classify_now now = {.epoch = steps_of(f) / (uint64_t)f->steps_an_epoch,
                                  .epochs = (uint64_t)f->task->train.epochs,
                                  .step = steps_of(f),
                                  .steps = (uint64_t)f->steps_an_epoch * (uint64_t)f->task->train.epochs,
                                  .seconds = sac_clock() - f->begin,
                                  .stepping = f->stepping,
                                  .limit_left = f->end > 0 ? fmax(f->end - sac_clock(), 0) : NAN,
                                  .rate = steps_of(f) > 0 ? last_rate(f) : NAN,
                                  .loss = begun ? f->numbers[2] / f->numbers[1] : NAN,
                                  .accuracy = begun ? f->numbers[3] / f->numbers[1] : NAN};
    return sac_classify_tell_now(f->told, &now);
}

// --- training ---

static sac_status diverged(fit *f, const char *what)
{
    const uint64_t epoch = (steps_of(f) - 1) / (uint64_t)f->steps_an_epoch;
    if (writes(f))
        SAC_TRY(sac_classify_tell_event(f->told, epoch, "failed", "%s after step %" PRIu64, what, steps_of(f)));
    return sac_fail(SAC_ERROR_DIVERGED, "the fit diverged: after step %" PRIu64 " %s; try a rate below %g", steps_of(f),
                    what, f->task->train.rate);
}

// Once one of a net's numbers is not finite, no later step makes it a number again.
static sac_status check_step(fit *f, double loss, double norm)
{
    if (!isfinite(loss) || !isfinite(norm)) return diverged(f, "the loss or its gradient is no number");
    const sac_net_tensor *broken = sac_net_broken_tensor(f->net, f->parameters);
    const bool measured = sac_all_finite(f->measured, sac_net_measured(f->net));
    if (!broken && measured) return SAC_OK;
    char what[96];
    snprintf(what, sizeof what, "%s is not finite", broken ? broken->name : "what batch norms have measured");
    return diverged(f, what);
}

static sac_status take_step(fit *f)
{
    const double begin = sac_clock();
    const sac_learn l = sac_learn_create(f->scratch);
    const int at = (int)(steps_of(f) % (uint64_t)f->steps_an_epoch), batch = f->task->train.batch;
    f->first = at * batch;
    sac_threads_run(f->threads, see_some, f);
    const sac_net_outcome o = sac_net_pass_train(f->pass, f->gradient, f->parameters, f->measured, f->labels, batch,
                                                 sac_mix_seed(f->task->train.seed, DROP_STREAM, steps_of(f)));
    SAC_TRY(sac_net_pass_verdict(f->pass));
    const double norm = sac_optimiser_step(f->optimiser, &l, f->parameters, f->gradient);
    f->stepping += sac_clock() - begin;
    f->numbers[0] += 1;
    f->numbers[1] += batch;
    f->numbers[2] += o.loss;
    f->numbers[3] += o.right;
    return check_step(f, o.loss, norm);
}

// finite numbers may still be too large for the sums that a net takes of them
static sac_status evaluate(fit *f, sac_classify_progress *p)
{
    const sac_classify_test test = {.set = f->test,
                                    .view = &f->view,
                                    .count = f->test_count,
                                    .batch = f->task->train.batch,
                                    .threads = f->threads,
                                    .pass = f->pass,
                                    .parameters = f->parameters,
                                    .measured = f->measured,
                                    .labels = f->labels};
    sac_classify_evaluate(&f->score, &test);
    if (!isfinite(f->score.loss)) return diverged(f, "the loss over the test pictures is no number");
    p->evaluated = true;
    p->test_loss = f->score.loss;
    p->test_accuracy = f->score.accuracy;
    return SAC_OK;
}

// --- what a run leaves ---

static sac_status save_net_as(const fit *f, const char *name)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, f->def.run_dir, name));
    const sac_trained_net net = trained_of(f);
    return sac_trained_net_save(&net, path);
}

static sac_status save_net(const fit *f)
{
    return save_net_as(f, "net.safetensors");
}

// the net as it is after an epoch, where the task wants it kept
static sac_status keep_net(const fit *f, uint64_t epoch)
{
    const int keep = f->task->evaluation.keep;
    if (!writes(f) || keep == 0 || epoch % (uint64_t)keep != 0) return SAC_OK;
    char folder[SAC_PATH_SIZE], name[40];
    SAC_TRY(sac_join_path(folder, f->def.run_dir, "nets"));
    SAC_TRY(sac_make_folders(folder));
    snprintf(name, sizeof name, "nets/%06" PRIu64 ".safetensors", epoch);
    return save_net_as(f, name);
}

// the end of an epoch on rank 0: its evaluation, its row, its files
static sac_status report_epoch(fit *f, sac_classify_progress *p)
{
    const int every = f->task->evaluation.every, epochs = f->task->train.epochs;
    const uint64_t epoch = steps_of(f) / (uint64_t)f->steps_an_epoch;
    *p = (sac_classify_progress){.epoch = epoch,
                                 .steps = steps_of(f),
                                 .rate = last_rate(f),
                                 .loss = f->numbers[2] / f->numbers[1],
                                 .accuracy = f->numbers[3] / f->numbers[1]};
    char tested[64] = ",";
    if (epoch == (uint64_t)epochs || (every > 0 && epoch % (uint64_t)every == 0))
    {
        SAC_TRY(evaluate(f, p));
        snprintf(tested, sizeof tested, "%.9g,%.9g", p->test_loss, p->test_accuracy);
        SAC_TRY(save_net(f));
        SAC_TRY(sac_classify_save_confusion(&f->score, f->def.run_dir));
        SAC_TRY(sac_classify_tell_heads(f->told, epoch));
    }
    SAC_TRY(keep_net(f, epoch));
    p->seconds = sac_clock() - f->begin;
    SAC_TRY(sac_rows_add(f->rows, epoch, "%" PRIu64 ",%.3f,%.9g,%.9g,%.9g,%s", p->steps, p->seconds, p->rate, p->loss,
                         p->accuracy, tested));
    return SAC_OK;
}

static sac_status end_epoch(fit *f, sac_classify_progress *p)
{
    if (writes(f)) SAC_TRY(report_epoch(f, p));
    f->numbers[1] = f->numbers[2] = f->numbers[3] = 0;
    SAC_TRY(write_checkpoint(f));
    SAC_TRY(tell_now(f));
    if (writes(f) && f->def.report) f->def.report(f->def.user, p);
    return SAC_OK;
}

static sac_status stop(fit *f)
{
    const uint64_t epoch_steps = (uint64_t)f->steps_an_epoch, all = epoch_steps * (uint64_t)f->task->train.epochs;
    SAC_TRY(write_checkpoint(f));
    if (writes(f))
        SAC_TRY(
            sac_classify_tell_event(f->told, steps_of(f) / epoch_steps, "interrupted", "--resume goes on from here"));
    SAC_TRY(tell_now(f));
    return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted at step %" PRIu64 " of %" PRIu64, steps_of(f), all);
}

static sac_status train(fit *f, sac_classify_progress *last)
{
    const uint64_t epoch_steps = (uint64_t)f->steps_an_epoch, all = epoch_steps * (uint64_t)f->task->train.epochs;
    uint64_t ordered = UINT64_MAX;
    if (steps_of(f) == 0) SAC_TRY(keep_net(f, 0));
    while (steps_of(f) < all)
    {
        const uint64_t epoch = steps_of(f) / epoch_steps;
        bool ends;
        SAC_TRY(sac_classify_ranks_any(&f->ranks, SAC_OK, f->def.interrupt && *f->def.interrupt, &ends));
        if (ends) return stop(f);
        if (ordered != epoch) sac_image_order(f->order, f->count, f->task->train.seed, epoch);
        ordered = epoch;
        if (strcmp(f->task->train.schedule, "falls") == 0) sac_optimiser_set_rate(f->optimiser, rate_of(f, epoch));
        SAC_TRY(take_step(f));
        if (steps_of(f) % epoch_steps == 0)
            SAC_TRY(end_epoch(f, last));
        else if (steps_of(f) % (uint64_t)f->task->train.checkpoint_every == 0)
            SAC_TRY(write_checkpoint(f));
        if (writes(f) && sac_classify_told_is_due(f->told)) SAC_TRY(tell_now(f));
    }
    return SAC_OK;
}

static sac_status run(fit *f, sac_classify_result *result)
{
    SAC_TRY(sac_classify_ranks_open(&f->ranks, f->def.comm));
    SAC_TRY(create(f));
    SAC_TRY(open_run(f));
    SAC_TRY(begin_to_tell(f));
    sac_classify_progress last = {.epoch = (uint64_t)f->task->train.epochs};
    SAC_TRY(train(f, &last));
    if (!writes(f)) return SAC_OK;
    // a run that was finished before is evaluated again, and its net written in the form that files have now
    if (!last.evaluated)
    {
        SAC_TRY(evaluate(f, &last));
        SAC_TRY(save_net(f));
    }
    SAC_TRY(sac_classify_tell_event(f->told, last.epoch, "finished", "%.2f %% of %d test pictures right",
                                    100 * f->score.accuracy, f->score.pictures));
    result->score = f->score;
    result->time_count = sac_net_pass_times(f->pass, result->times);
    f->score.confusion = NULL;
    return SAC_OK;
}

sac_status sac_classify_fit(sac_classify_result *result, const sac_classify_def *def)
{
    *result = (sac_classify_result){0};
    fit *f = SAC_NEW(fit);
    if (!f) return sac_fail_memory("a fit");
    f->def = *def;
    f->task = def->task;
    sac_status status = run(f, result);
    destroy(f, status);
    sac_free(f);
    if (status != SAC_OK) *result = (sac_classify_result){0};
    return status;
}
