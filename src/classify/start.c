#include "classify/start.h"

#include <string.h>

#include "base/error.h"
#include "classify/trained.h"

static sac_status check_like(const sac_trained_net *from, const char *kind, sac_net_shape input, const char *path)
{
    const sac_net_shape is = from->input;
    if (strcmp(from->task->kind, kind) != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "train.start: %.400s is of kind %s, and this net of kind %s", path,
                        from->task->kind, kind);
    if (is.rows == input.rows && is.columns == input.columns && is.channels == input.channels) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "train.start: %.400s looks at pictures of %d x %d with %d channels, and these have %d x %d with %d",
                    path, is.rows, is.columns, is.channels, input.rows, input.columns, input.channels);
}

static bool same_shape(const sac_net_tensor *a, const sac_net_tensor *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

// Counts the tensors that both nets have.
static sac_status count_shared(int *shared, const sac_trained_net *from, const sac_net *net, const char *path)
{
    *shared = 0;
    for (int i = 0; i < sac_net_tensor_count(net); i++)
    {
        const sac_net_tensor *to = sac_net_tensor_at(net, i), *at = sac_net_find(from->net, to->name);
        if (at && !same_shape(at, to))
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "train.start: %.400s: %s has %zu numbers in another shape than the %zu of this net: the "
                            "options of the section net must agree but for the attention",
                            path, to->name, at->count, to->count);
        *shared += at != NULL;
    }
    return SAC_OK;
}

static sac_status take(const sac_trained_net *from, const char *path, const char *kind, const sac_net *net,
                       sac_net_shape input, float *parameters, float *measured, int *copied)
{
    SAC_TRY(check_like(from, kind, input, path));
    SAC_TRY(count_shared(copied, from, net, path));
    for (int i = 0; i < sac_net_tensor_count(net); i++)
    {
        const sac_net_tensor *to = sac_net_tensor_at(net, i), *at = sac_net_find(from->net, to->name);
        if (at) memcpy(parameters + to->first, from->parameters + at->first, to->count * sizeof *parameters);
    }
    if (sac_net_measured(from->net) == sac_net_measured(net))
        memcpy(measured, from->measured, sac_net_measured(net) * sizeof *measured);
    return SAC_OK;
}

sac_status sac_classify_start(const char *path, const char *kind, const sac_net *net, sac_net_shape input,
                              float *parameters, float *measured, int *copied)
{
    sac_trained_net from;
    SAC_TRY(sac_trained_net_load(&from, path, NULL, 0));
    const sac_status status = take(&from, path, kind, net, input, parameters, measured, copied);
    sac_trained_net_clear(&from);
    return status;
}
