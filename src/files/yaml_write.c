#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/yaml.h"

enum
{
    MAX_DEPTH = 8
};

/// The text under construction and the sections that are open.
typedef struct writer
{
    yaml_emitter_t emitter;
    char *text;
    size_t size;
    char path[SAC_TEXT_SIZE]; ///< of the last key
    bool sequence[MAX_DEPTH]; ///< of the open sections, the outermost map first
    int depth;
} writer;

static int append(void *user, unsigned char *bytes, size_t size)
{
    writer *w = user;
    if (w->size + size > SAC_YAML_LIMIT) return 0;
    memcpy(w->text + w->size, bytes, size);
    w->size += size;
    return 1;
}

static bool emit(writer *w, yaml_event_t *event, int initialized)
{
    return initialized && yaml_emitter_emit(&w->emitter, event);
}

static bool emit_scalar(writer *w, const char *text, size_t length)
{
    yaml_event_t event;
    return emit(w, &event,
                yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)length, 1, 1,
                                             YAML_ANY_SCALAR_STYLE));
}

static bool open_section(writer *w, bool sequence)
{
    yaml_event_t event;
    if (w->depth == MAX_DEPTH) return false;
    w->sequence[w->depth++] = sequence;
    if (sequence)
        return emit(w, &event, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
    return emit(w, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
}

static bool close_section(writer *w)
{
    yaml_event_t event;
    return emit(w, &event,
                w->sequence[--w->depth] ? yaml_sequence_end_event_initialize(&event)
                                        : yaml_mapping_end_event_initialize(&event));
}

// Count the sections that two keys have in common, and the bytes of the key that they take.
static int common_sections(const char *a, const char *b, size_t *bytes)
{
    int sections = 0;
    *bytes = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.') sections++, *bytes = i + 1;
    return sections;
}

static bool write_setting(writer *w, const sac_setting *setting)
{
    size_t at;
    int keep = 1 + common_sections(w->path, setting->key, &at);
    while (w->depth > keep)
        if (!close_section(w)) return false;
    for (const char *part = setting->key + at;;)
    {
        size_t length = strcspn(part, ".");
        if (!w->sequence[w->depth - 1] && !emit_scalar(w, part, length)) return false;
        if (!part[length]) break;
        part += length + 1;
        if (!open_section(w, part[0] == '0' && (part[1] == '.' || !part[1]))) return false;
    }
    strncpy(w->path, setting->key, sizeof w->path - 1);
    return emit_scalar(w, setting->value, strlen(setting->value));
}

static bool write_all(writer *w, const sac_setting *settings, int count)
{
    yaml_event_t event;
    yaml_emitter_set_output(&w->emitter, append, w);
    yaml_emitter_set_unicode(&w->emitter, 1);
    yaml_emitter_set_width(&w->emitter, -1);
    if (!emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING))) return false;
    if (!emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1))) return false;
    if (!open_section(w, false)) return false;
    for (int i = 0; i < count; i++)
        if (strlen(settings[i].key) >= SAC_TEXT_SIZE || !write_setting(w, &settings[i])) return false;
    while (w->depth > 0)
        if (!close_section(w)) return false;
    if (!emit(w, &event, yaml_document_end_event_initialize(&event, 1))) return false;
    return emit(w, &event, yaml_stream_end_event_initialize(&event)) && yaml_emitter_flush(&w->emitter);
}

// Reading the text again proves that the keys were in order and that nothing was lost.
static sac_status check(const char *text, size_t size, const sac_setting *settings, int count)
{
    sac_yaml *yaml;
    SAC_TRY(sac_yaml_read(&yaml, text, size, "YAML that was written"));
    sac_status status = sac_yaml_count(yaml) == count ? SAC_OK : SAC_ERROR_ARGUMENT;
    for (int i = 0; status == SAC_OK && i < count; i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(yaml, i);
        if (strcmp(entry->key, settings[i].key) != 0 || strcmp(entry->value, settings[i].value) != 0)
            status =
                sac_fail(SAC_ERROR_ARGUMENT, "YAML: '%.200s' would read back as '%.200s'", settings[i].key, entry->key);
    }
    sac_yaml_destroy(yaml);
    return status;
}

sac_status sac_yaml_write(char **text, const sac_setting *settings, int count)
{
    *text = NULL;
    writer w = {.text = sac_alloc(SAC_YAML_LIMIT + 1)};
    if (!w.text || !yaml_emitter_initialize(&w.emitter))
    {
        sac_free(w.text);
        return sac_fail_memory("YAML");
    }
    sac_status status = SAC_OK;
    if (!write_all(&w, settings, count))
        status = sac_fail(SAC_ERROR_ARGUMENT, "YAML: %.200s",
                          w.emitter.problem ? w.emitter.problem : "keys too deep, too long or no text");
    yaml_emitter_delete(&w.emitter);
    if (status == SAC_OK) status = check(w.text, w.size, settings, count);
    if (status == SAC_OK)
        *text = w.text;
    else
        sac_free(w.text);
    return status;
}
