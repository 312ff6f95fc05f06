#include "classify/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/yaml.h"
#include "nets/net.h"

#define FASHION_MNIST "/usr/share/datasets/fashion-mnist" // where Debian's dataset-fashion-mnist puts it

static const sac_option data_options[] = {
    {"format", SAC_OPTION_TEXT, offsetof(sac_classify_data, format), "idx", 0, 0, "idx cifar-10",
     "idx: the MNIST family; cifar-10: its binary version"},
    {"folder", SAC_OPTION_TEXT, offsetof(sac_classify_data, folder), FASHION_MNIST, 0, 0, NULL,
     "folder with the files of the format"},
    {"padding", SAC_OPTION_INT, offsetof(sac_classify_data, padding), "0", 0, 64, NULL,
     "pixels of black around a picture, of which training draws a crop of the old size"},
    {"flip", SAC_OPTION_BOOL, offsetof(sac_classify_data, flip), "false", 0, 0, NULL,
     "training mirrors half of the pictures, left to right"},
    {"limit", SAC_OPTION_INT, offsetof(sac_classify_data, limit), "0", 0, 1 << 30, NULL,
     "use the first so many pictures of each part alone; 0: all"},
    {0},
};

static const sac_option train_options[] = {
    {"seed", SAC_OPTION_SEED, offsetof(sac_classify_train, seed), "1", 0, 0, NULL,
     "draws the start, the orders and the crops"},
    {"epochs", SAC_OPTION_INT, offsetof(sac_classify_train, epochs), "20", 1, 100000, NULL,
     "times that every picture is seen"},
    {"batch", SAC_OPTION_INT, offsetof(sac_classify_train, batch), "128", 1, 1 << 16, NULL, "pictures a step"},
    {"slices", SAC_OPTION_INT, offsetof(sac_classify_train, slices), "8", 1, 1024, NULL,
     "parts that a minibatch is cut into: at most so many threads help, and the bits depend on it"},
    {"optimiser", SAC_OPTION_TEXT, offsetof(sac_classify_train, optimiser), "sgd", 0, 0, "sgd adam adamw",
     "what turns gradients into parameters"},
    {"rate", SAC_OPTION_REAL, offsetof(sac_classify_train, rate), "0.1", 0, 1e3, NULL, "largest rate"},
    {"momentum", SAC_OPTION_REAL, offsetof(sac_classify_train, momentum), "0.9", 0, 1, NULL, "of sgd"},
    {"decay", SAC_OPTION_REAL, offsetof(sac_classify_train, decay), "0.0001", 0, 1e3, NULL,
     "of weights; centres, spreads and positions do not decay"},
    {"schedule", SAC_OPTION_TEXT, offsetof(sac_classify_train, schedule), "cosine", 0, 0, "cosine falls constant",
     "how the rate changes: half a cosine to zero, falls to a tenth, or not"},
    {"warm", SAC_OPTION_REAL, offsetof(sac_classify_train, warm), "0.05", 0, 1, NULL,
     "share of all steps in which the rate rises; cosine alone"},
    {"falls", SAC_OPTION_TEXT, offsetof(sac_classify_train, falls), "", 0, 0, NULL,
     "epochs after which the rate falls to a tenth, such as 80 150 250"},
    {"start", SAC_OPTION_TEXT, offsetof(sac_classify_train, start), "", 0, 0, NULL,
     "net.safetensors whose tensors training begins with, those that both nets have by name; empty: none"},
    {"checkpoint_every", SAC_OPTION_INT, offsetof(sac_classify_train, checkpoint_every), "200", 1, 1 << 30, NULL,
     "steps between checkpoints"},
    {0},
};

static const sac_option evaluation_options[] = {
    {"every", SAC_OPTION_INT, offsetof(sac_classify_evaluation, every), "1", 0, 1 << 30, NULL,
     "epochs between evaluations over the test pictures; 0: at the end alone"},
    {"keep", SAC_OPTION_INT, offsetof(sac_classify_evaluation, keep), "0", 0, 1 << 30, NULL,
     "epochs between nets that are kept in nets/, beginning before training; 0: none"},
    {0},
};

// --- sections ---

typedef struct section
{
    const char *name;
    const sac_option *options;
    void *config;
} section;

enum
{
    SECTIONS = 4
};

static void list_sections(sac_classify_task *t, section list[SECTIONS])
{
    list[0] = (section){"data", data_options, &t->data};
    list[1] = (section){"net", sac_net_options(t->kind), t->net};
    list[2] = (section){"train", train_options, &t->train};
    list[3] = (section){"evaluation", evaluation_options, &t->evaluation};
}

static const char *section_at(const void *user, int index)
{
    const section *list = user;
    return index < SECTIONS ? list[index].name : NULL;
}

static sac_status set_entry(sac_classify_task *t, const char *path, const char *value, const char *where)
{
    section list[SECTIONS];
    list_sections(t, list);
    if (strcmp(path, "net.kind") == 0) return SAC_OK; // read before
    const size_t length = strcspn(path, ".");
    for (int i = 0; i < SECTIONS; i++)
        if (path[length] == '.' && strlen(list[i].name) == length && strncmp(path, list[i].name, length) == 0)
        {
            char place[2 * SAC_TEXT_SIZE];
            if (strcmp(list[i].name, "net") == 0)
                snprintf(place, sizeof place, "%s: net (of kind %s)", where, t->kind);
            else
                snprintf(place, sizeof place, "%s: %s", where, list[i].name);
            return sac_options_set(list[i].options, list[i].config, path + length + 1, value, place);
        }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), path);
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: unknown section '%s', expected data, net, train or evaluation%s", where,
                    name, sac_did_you_mean(sac_nearest(name, section_at, list)));
}

// --- reading ---

static sac_status choose_kind(sac_classify_task *t, const sac_yaml *yaml, const char *path, const sac_setting *settings,
                              int count)
{
    const sac_yaml_entry *entry = sac_yaml_find(yaml, "net.kind");
    const char *kind = entry ? entry->value : NULL;
    for (int i = 0; i < count; i++)
        if (strcmp(settings[i].key, "net.kind") == 0) kind = settings[i].value;
    if (!kind) return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: net.kind is missing, such as 'kind: resnet'", path);
    const sac_option *options = sac_net_options(kind);
    if (!options)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: net.kind: there is no '%.60s'%s", path, kind,
                        sac_expected(kind, sac_net_kind_name, NULL));
    SAC_ASSERT(sac_options_size(options) <= sizeof t->net);
    snprintf(t->kind, sizeof t->kind, "%s", kind);
    return SAC_OK;
}

int sac_classify_task_falls(const sac_classify_task *t, int falls[SAC_CLASSIFY_FALLS])
{
    const char *at = t->train.falls;
    int count = 0;
    while (*at)
    {
        char *end;
        const long epoch = strtol(at, &end, 10);
        const bool rises = count == 0 || epoch > falls[count - 1];
        if (end == at || epoch < 1 || epoch > 1000000 || count == SAC_CLASSIFY_FALLS || !rises) return -1;
        falls[count++] = (int)epoch;
        at = end + strspn(end, " ,");
    }
    return count;
}

static sac_status check(const sac_classify_task *t, const char *path)
{
    int falls[SAC_CLASSIFY_FALLS];
    const bool wants = strcmp(t->train.schedule, "falls") == 0;
    const int count = sac_classify_task_falls(t, falls);
    if (count < 0 || (wants && count == 0))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%.400s: train.falls is '%.60s', expected 1 to %d rising epochs such as 80 150 250", path,
                        t->train.falls, (int)SAC_CLASSIFY_FALLS);
    if (!wants && count > 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: train.falls is for 'schedule: falls', and schedule is %.20s", path,
                        t->train.schedule);
    return SAC_OK;
}

static sac_status fill(sac_classify_task *t, const sac_yaml *yaml, const char *path, const sac_setting *settings,
                       int count)
{
    SAC_TRY(choose_kind(t, yaml, path, settings, count));
    section list[SECTIONS];
    list_sections(t, list);
    for (int i = 0; i < SECTIONS; i++)
        SAC_TRY(sac_options_read(list[i].options, list[i].config, NULL, 0, list[i].name));
    for (int i = 0; i < sac_yaml_count(yaml); i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(yaml, i);
        char where[SAC_TEXT_SIZE];
        snprintf(where, sizeof where, "%.200s:%d", path, entry->line);
        SAC_TRY(set_entry(t, entry->key, entry->value, where));
    }
    for (int i = 0; i < count; i++) SAC_TRY(set_entry(t, settings[i].key, settings[i].value, "--set"));
    return check(t, path);
}

// the task of a file that was read, which is released
static sac_status load(sac_classify_task **out, sac_yaml *yaml, const char *path, const sac_setting *settings,
                       int count)
{
    sac_classify_task *t = SAC_NEW(sac_classify_task);
    sac_status status = t ? SAC_OK : sac_fail_memory("a task");
    if (status == SAC_OK && sac_yaml_find(yaml, "env.id"))
        status = sac_fail(SAC_ERROR_ARGUMENT, "%.400s: a task of a policy, which 'saccade train' carries out", path);
    if (status == SAC_OK) status = fill(t, yaml, path, settings, count);
    sac_yaml_destroy(yaml);
    if (status != SAC_OK)
    {
        sac_free(t);
        return status;
    }
    *out = t;
    return SAC_OK;
}

sac_status sac_classify_task_load(sac_classify_task **out, const char *path, const sac_setting *settings, int count)
{
    *out = NULL;
    sac_yaml *yaml;
    SAC_TRY(sac_yaml_load(&yaml, path));
    return load(out, yaml, path, settings, count);
}

sac_status sac_classify_task_read(sac_classify_task **out, const void *bytes, size_t size, const char *where,
                                  const sac_setting *settings, int count)
{
    *out = NULL;
    sac_yaml *yaml;
    SAC_TRY(sac_yaml_read(&yaml, bytes, size, where));
    return load(out, yaml, where, settings, count);
}

bool sac_classify_task_is(const char *path, const sac_setting *settings, int count)
{
    sac_yaml *yaml;
    bool is = false;
    if (sac_yaml_load(&yaml, path) != SAC_OK) return false;
    for (int i = 0; i < count; i++) is |= strcmp(settings[i].key, "net.kind") == 0;
    is = (is || sac_yaml_find(yaml, "net.kind")) && !sac_yaml_find(yaml, "env.id");
    sac_yaml_destroy(yaml);
    return is;
}

// --- the resolved task ---

enum
{
    MAX_RESOLVED = 64
};

typedef struct resolved
{
    char keys[MAX_RESOLVED][128], values[MAX_RESOLVED][SAC_TEXT_SIZE];
    bool plain[MAX_RESOLVED]; // the option's own default
    sac_setting settings[MAX_RESOLVED];
    int count;
} resolved;

static void add(resolved *r, const char *of, const char *key, const char *value, bool plain)
{
    SAC_ASSERT(r->count < MAX_RESOLVED);
    const int i = r->count++;
    snprintf(r->keys[i], sizeof r->keys[i], "%.60s.%.60s", of, key);
    snprintf(r->values[i], sizeof r->values[i], "%s", value);
    r->settings[i] = (sac_setting){r->keys[i], r->values[i]};
    r->plain[i] = plain;
}

static void resolve(resolved *r, const sac_classify_task *task)
{
    section list[SECTIONS];
    list_sections((sac_classify_task *)task, list); // which is only read
    for (int i = 0; i < SECTIONS; i++)
    {
        if (strcmp(list[i].name, "net") == 0) add(r, "net", "kind", task->kind, false);
        for (const sac_option *o = list[i].options; o->name; o++)
        {
            char text[SAC_TEXT_SIZE];
            sac_options_format(o, list[i].config, text);
            add(r, list[i].name, o->name, text, o->fallback && strcmp(text, o->fallback) == 0);
        }
    }
}

sac_status sac_classify_task_write(const void *task, char **text)
{
    *text = NULL;
    resolved *r = SAC_NEW(resolved);
    if (!r) return sac_fail_memory("the resolved task");
    resolve(r, task);
    sac_status status = sac_yaml_write(text, r->settings, r->count);
    sac_free(r);
    return status;
}

static sac_status compare(const resolved *r, const sac_yaml *yaml, const char *path)
{
    for (int i = 0; i < r->count; i++)
    {
        const sac_setting *mine = &r->settings[i];
        const sac_yaml_entry *theirs = sac_yaml_find(yaml, mine->key);
        const bool is_free = strcmp(mine->key, "train.checkpoint_every") == 0 || strcmp(mine->key, "data.folder") == 0;
        if (is_free || (!theirs && r->plain[i])) continue;
        if (!theirs || strcmp(theirs->value, mine->value) != 0)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "%s: the run was started with %s '%.60s', now it is '%.60s'; use another --run", path,
                            mine->key, theirs ? theirs->value : "absent", mine->value);
    }
    return SAC_OK;
}

sac_status sac_classify_task_check_same(const void *task, const char *path)
{
    resolved *r = SAC_NEW(resolved);
    sac_yaml *yaml = NULL;
    sac_status status = r ? sac_yaml_load(&yaml, path) : sac_fail_memory("the resolved task");
    if (status == SAC_OK)
    {
        resolve(r, task);
        status = compare(r, yaml, path);
    }
    sac_yaml_destroy(yaml);
    sac_free(r);
    return status;
}
