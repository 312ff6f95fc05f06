#include "classify/trained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/arrays/safetensors.h"

// The metadata's "format" and "version" say what a file is. A reader refuses what it does not know.
static const char format[] = "saccade net", version[] = "2";

static const size_t file_limit = (size_t)1 << 30;

enum
{
    OWN_TENSORS = 4, // beside the net's
    MAX_SIDE = 4096,
    MAX_CLASSES = 256 // labels are bytes
};

// --- writing ---

sac_status sac_trained_net_save(const sac_trained_net *net, const char *path)
{
    char *task;
    SAC_TRY(sac_classify_task_write(net->task, &task));
    const int count = sac_net_tensor_count(net->net);
    sac_tensor *tensors = SAC_NEW_ARRAY(sac_tensor, (size_t)count + OWN_TENSORS);
    if (!tensors)
    {
        sac_free(task);
        return sac_fail_memory("a net's file");
    }
    for (int i = 0; i < count; i++)
    {
        const sac_net_tensor *t = sac_net_tensor_at(net->net, i);
        tensors[i] = (sac_tensor){t->name, SAC_F32, t->rank, {t->shape[0], t->shape[1]}, net->parameters + t->first};
    }
    double view[2 * SAC_IMAGE_CHANNELS];
    memcpy(view, net->view.mean, sizeof net->view.mean);
    memcpy(view + SAC_IMAGE_CHANNELS, net->view.deviation, sizeof net->view.deviation);
    const int64_t input[] = {net->input.rows, net->input.columns, net->input.channels}, classes = net->classes;
    tensors[count] = (sac_tensor){"measured", SAC_F32, 1, {(int64_t)sac_net_measured(net->net)}, net->measured};
    tensors[count + 1] = (sac_tensor){"view", SAC_F64, 2, {2, SAC_IMAGE_CHANNELS}, view};
    tensors[count + 2] = (sac_tensor){"input", SAC_I64, 1, {3}, input};
    tensors[count + 3] = (sac_tensor){"classes", SAC_I64, 0, {0}, &classes};
    const sac_metadata metadata[] = {{"format", format}, {"version", version}, {"task", task}, {"checksum", NULL}};
    sac_status status = sac_tensors_save(path, tensors, count + OWN_TENSORS, metadata, 4);
    sac_free(tensors);
    sac_free(task);
    return status;
}

// --- reading ---

// what a file is, before anything in it is used
static sac_status check_format(const sac_tensors *tensors, const char *path)
{
    const char *kind = sac_tensors_metadata(tensors, "format"), *number = sac_tensors_metadata(tensors, "version");
    if (kind && strcmp(kind, "saccade policy") == 0)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s is a policy, not a net that classifies pictures: did you mean 'saccade eval'?", path);
    if (!kind || strcmp(kind, format) != 0 || !number)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s is no net of 'saccade fit': its metadata does not say '%s'", path,
                        format);
    if (strcmp(number, "1") == 0)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: net files of version 1 do not say which pictures they take: 'saccade fit TASK.yaml "
                        "--run DIR --resume' writes that of a finished run again",
                        path);
    if (strcmp(number, version) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: net files of version %.20s are unknown, expected %s", path, number,
                        version);
    return sac_tensors_verify(tensors);
}

static sac_status read_shape(sac_trained_net *n, const sac_tensors *tensors, const char *path)
{
    const sac_tensor *input, *classes;
    int64_t shape[3], count;
    SAC_TRY(sac_tensors_get(&input, tensors, "input", SAC_I64, 1, (const int64_t[]){3}));
    SAC_TRY(sac_tensors_get(&classes, tensors, "classes", SAC_I64, 0, NULL));
    memcpy(shape, input->data, sizeof shape);
    memcpy(&count, classes->data, sizeof count);
    const bool fits = shape[0] >= 1 && shape[0] <= MAX_SIDE && shape[1] >= 1 && shape[1] <= MAX_SIDE && shape[2] >= 1 &&
                      shape[2] <= SAC_IMAGE_CHANNELS && count >= 2 && count <= MAX_CLASSES;
    if (!fits)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%.400s: pictures of %lld x %lld with %lld channels in %lld classes, expected at most %d x %d, "
                        "%d and 2 to %d",
                        path, (long long)shape[0], (long long)shape[1], (long long)shape[2], (long long)count,
                        (int)MAX_SIDE, (int)MAX_SIDE, (int)SAC_IMAGE_CHANNELS, (int)MAX_CLASSES);
    n->input = (sac_net_shape){(int)shape[0], (int)shape[1], (int)shape[2]};
    n->classes = (int)count;
    return SAC_OK;
}

static sac_status read_view(sac_trained_net *n, const sac_tensors *tensors, const char *path)
{
    const sac_tensor *view;
    SAC_TRY(sac_tensors_get(&view, tensors, "view", SAC_F64, 2, (const int64_t[]){2, SAC_IMAGE_CHANNELS}));
    const double *numbers = view->data;
    memcpy(n->view.mean, numbers, sizeof n->view.mean);
    memcpy(n->view.deviation, numbers + SAC_IMAGE_CHANNELS, sizeof n->view.deviation);
    for (int c = 0; c < n->input.channels; c++)
        if (!isfinite(n->view.mean[c]) || !isfinite(n->view.deviation[c]) || n->view.deviation[c] <= 0)
            return sac_fail(SAC_ERROR_FORMAT,
                            "%.400s: view holds the mean %g and the deviation %g, expected finite numbers and a "
                            "deviation above 0",
                            path, n->view.mean[c], n->view.deviation[c]);
    return SAC_OK;
}

static sac_status check_finite(const float *numbers, size_t count, const char *name, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return sac_fail(SAC_ERROR_FORMAT, "%.400s: %s holds %g, expected finite numbers", path, name,
                            (double)numbers[i]);
    return SAC_OK;
}

// Finds a tensor's numbers. The shape was checked, so that memory for all of them is no more than the file has.
static sac_status find_numbers(const float **out, const sac_tensors *tensors, const sac_net_tensor *t, const char *path)
{
    const sac_tensor *found;
    SAC_TRY(sac_tensors_get(&found, tensors, t->name, SAC_F32, t->rank, t->shape));
    *out = found->data;
    return check_finite(found->data, t->count, t->name, path);
}

static sac_status read_numbers(sac_trained_net *n, const sac_tensors *tensors, const char *path)
{
    const int count = sac_net_tensor_count(n->net);
    const size_t size = sac_net_measured(n->net);
    const float *from;
    const sac_tensor *measured;
    for (int i = 0; i < count; i++) SAC_TRY(find_numbers(&from, tensors, sac_net_tensor_at(n->net, i), path));
    SAC_TRY(sac_tensors_get(&measured, tensors, "measured", SAC_F32, 1, (const int64_t[]){(int64_t)size}));
    SAC_TRY(check_finite(measured->data, size, "measured", path));
    if (sac_tensors_count(tensors) != count + OWN_TENSORS)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %d tensors, expected the %d of this net", path,
                        sac_tensors_count(tensors), count + OWN_TENSORS);
    n->parameters = SAC_NEW_ARRAY(float, sac_net_parameters(n->net));
    n->measured = SAC_NEW_ARRAY(float, size);
    if (!n->parameters || !n->measured) return sac_fail_memory("a net");
    memcpy(n->measured, measured->data, size * sizeof(float));
    for (int i = 0; i < count; i++)
    {
        const sac_net_tensor *t = sac_net_tensor_at(n->net, i);
        SAC_TRY(find_numbers(&from, tensors, t, path));
        memcpy(n->parameters + t->first, from, t->count * sizeof(float));
    }
    return SAC_OK;
}

static sac_status read_task(sac_trained_net *n, const sac_tensors *tensors, const char *path,
                            const sac_setting *settings, int count)
{
    char where[SAC_TEXT_SIZE];
    const char *text = sac_tensors_metadata(tensors, "task");
    if (!text) return sac_fail(SAC_ERROR_FORMAT, "%.400s: the metadata has no 'task'", path);
    snprintf(where, sizeof where, "%.200s: task", path);
    sac_classify_task *task;
    SAC_TRY(sac_classify_task_read(&task, text, strlen(text), where, settings, count));
    n->task = task;
    return SAC_OK;
}

static sac_status read_file(sac_trained_net *n, const sac_tensors *tensors, const char *path,
                            const sac_setting *settings, int count)
{
    SAC_TRY(check_format(tensors, path));
    SAC_TRY(read_task(n, tensors, path, settings, count));
    SAC_TRY(read_shape(n, tensors, path));
    SAC_TRY(read_view(n, tensors, path));
    const sac_net_def def = {n->task->kind, n->task->net, n->input, n->classes};
    sac_status status = sac_net_create(&n->net, &def);
    if (status != SAC_OK) return sac_fail_in(status, "%.400s", path);
    return read_numbers(n, tensors, path);
}

static sac_status read_and_release(sac_trained_net *out, sac_tensors *tensors, const char *path,
                                   const sac_setting *settings, int count)
{
    sac_status status = read_file(out, tensors, path, settings, count);
    sac_tensors_destroy(tensors);
    if (status != SAC_OK) sac_trained_net_clear(out);
    return status;
}

sac_status sac_trained_net_load(sac_trained_net *out, const char *path, const sac_setting *settings, int count)
{
    *out = (sac_trained_net){0};
    sac_tensors *tensors;
    SAC_TRY(sac_tensors_load(&tensors, path, file_limit));
    return read_and_release(out, tensors, path, settings, count);
}

sac_status sac_trained_net_read(sac_trained_net *out, const void *bytes, size_t size, const char *where,
                                const sac_setting *settings, int count)
{
    *out = (sac_trained_net){0};
    sac_tensors *tensors;
    SAC_TRY(sac_tensors_read(&tensors, bytes, size, where));
    return read_and_release(out, tensors, where, settings, count);
}

void sac_trained_net_clear(sac_trained_net *n)
{
    sac_free((void *)n->task);
    sac_net_destroy(n->net);
    sac_free(n->parameters);
    sac_free(n->measured);
    *n = (sac_trained_net){0};
}
