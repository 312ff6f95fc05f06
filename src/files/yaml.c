#include "files/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"

enum
{
    MAX_DEPTH = 8,
    MAX_NODES = 1024
};

/// A map or sequence that is open.
typedef struct level
{
    bool sequence, key_next; ///< a map's next scalar is a key
    int index;               ///< items of a sequence so far
    size_t prefix;           ///< bytes of the path that name this node, its dot included
} level;

struct sac_yaml
{
    sac_yaml_entry nodes[MAX_NODES]; ///< in order; maps and sequences, too, with value NULL, to see what comes twice
    sac_yaml_entry scalars[MAX_NODES];
    int node_count, scalar_count;
};

typedef struct reader
{
    sac_yaml *yaml;
    const char *where;
    level levels[MAX_DEPTH];
    int depth;
    char path[SAC_TEXT_SIZE];
} reader;

#define FAIL(r, event, ...) fail_at((r), (int)(event)->start_mark.line + 1, __VA_ARGS__)

static sac_status fail_at(const reader *r, int line, const char *what, const char *detail)
{
    return sac_fail(SAC_ERROR_FORMAT, "%.400s:%d: %s%.100s", r->where, line, what, detail);
}

// Write the path of the node that begins. An item of a sequence gets its number; a value of a map has had its key
// already.
static sac_status begin_node(reader *r, const yaml_event_t *event)
{
    if (r->depth == 0) return SAC_OK;
    level *top = &r->levels[r->depth - 1];
    top->key_next = true;
    if (!top->sequence) return SAC_OK;
    size_t room = sizeof r->path - top->prefix;
    if ((size_t)snprintf(r->path + top->prefix, room, "%d", top->index++) < room) return SAC_OK;
    return FAIL(r, event, "the keys down to here are too long together", "");
}

static sac_status add_node(reader *r, const yaml_event_t *event, const char *value)
{
    sac_yaml *yaml = r->yaml;
    for (int i = 0; i < yaml->node_count; i++)
        if (strcmp(yaml->nodes[i].key, r->path) == 0)
        {
            char detail[128];
            snprintf(detail, sizeof detail, "' comes twice, first in line %d", yaml->nodes[i].line);
            return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: '%.200s%s", r->where, event->start_mark.line + 1, r->path,
                            detail);
        }
    if (yaml->node_count == MAX_NODES) return FAIL(r, event, "more than 1024 entries", "");
    sac_yaml_entry *node = &yaml->nodes[yaml->node_count++];
    *node =
        (sac_yaml_entry){sac_copy_text(r->path), value ? sac_copy_text(value) : NULL, (int)event->start_mark.line + 1};
    if (!node->key || (value && !node->value)) return sac_fail_memory(r->where);
    if (value) yaml->scalars[yaml->scalar_count++] = *node;
    return SAC_OK;
}

static sac_status read_key(reader *r, const yaml_event_t *event, const char *text)
{
    level *top = &r->levels[r->depth - 1];
    if (!*text || strchr(text, '.')) return FAIL(r, event, "a key that is empty or holds a dot: ", text);
    size_t room = sizeof r->path - top->prefix;
    if ((size_t)snprintf(r->path + top->prefix, room, "%s", text) >= room)
        return FAIL(r, event, "the keys down to here are too long together: ", text);
    top->key_next = false;
    return SAC_OK;
}

static sac_status read_scalar(reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    if (event->data.scalar.tag) return FAIL(r, event, "a tag, expected plain values: ", text);
    if (event->data.scalar.anchor) return FAIL(r, event, "an anchor, expected plain values: ", text);
    if (strlen(text) != event->data.scalar.length) return FAIL(r, event, "a zero byte in a value", "");
    // libyaml reports an empty document as an empty scalar.
    if (r->depth == 0) return *text ? FAIL(r, event, "expected 'key: value', found: ", text) : SAC_OK;
    const level *top = &r->levels[r->depth - 1];
    if (!top->sequence && top->key_next) return read_key(r, event, text);
    SAC_TRY(begin_node(r, event));
    return add_node(r, event, text);
}

static sac_status open_level(reader *r, const yaml_event_t *event, bool sequence, bool plain)
{
    if (!plain) return FAIL(r, event, "a tag or an anchor, expected plain values", "");
    if (r->depth == MAX_DEPTH) return FAIL(r, event, "nested deeper than 8 levels", "");
    if (r->depth == 0 && sequence) return FAIL(r, event, "expected 'key: value', found a list", "");
    size_t prefix = 0;
    if (r->depth > 0)
    {
        const level *top = &r->levels[r->depth - 1];
        if (!top->sequence && top->key_next) return FAIL(r, event, "a key that is no word", "");
        SAC_TRY(begin_node(r, event));
        SAC_TRY(add_node(r, event, NULL));
        prefix = strlen(r->path);
        if (prefix + 2 > sizeof r->path) return FAIL(r, event, "the keys down to here are too long together", "");
        r->path[prefix++] = '.';
        r->path[prefix] = 0;
    }
    r->levels[r->depth++] = (level){.sequence = sequence, .key_next = true, .prefix = prefix};
    return SAC_OK;
}

static sac_status read_event(reader *r, const yaml_event_t *event, int *documents)
{
    switch (event->type)
    {
    case YAML_DOCUMENT_START_EVENT:
        return ++*documents > 1 ? FAIL(r, event, "a second document, expected one", "") : SAC_OK;
    case YAML_SCALAR_EVENT: return read_scalar(r, event);
    case YAML_ALIAS_EVENT: return FAIL(r, event, "an alias, expected plain values", "");
    case YAML_MAPPING_START_EVENT:
        return open_level(r, event, false, !event->data.mapping_start.tag && !event->data.mapping_start.anchor);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(r, event, true, !event->data.sequence_start.tag && !event->data.sequence_start.anchor);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT: r->depth--; return SAC_OK;
    default: return SAC_OK;
    }
}

static sac_status read_all(reader *r, yaml_parser_t *parser)
{
    int documents = 0;
    for (;;)
    {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
        {
            if (parser->error == YAML_MEMORY_ERROR) return sac_fail_memory(r->where);
            return fail_at(r, (int)parser->problem_mark.line + 1, "YAML: ", parser->problem ? parser->problem : "");
        }
        bool end = event.type == YAML_STREAM_END_EVENT;
        sac_status status = read_event(r, &event, &documents);
        yaml_event_delete(&event);
        if (status != SAC_OK || end) return status;
    }
}

sac_status sac_yaml_read(sac_yaml **out, const void *bytes, size_t size, const char *where)
{
    *out = NULL;
    if (size > SAC_YAML_LIMIT)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %zu bytes, expected at most %zu", where, size, SAC_YAML_LIMIT);
    yaml_parser_t parser;
    reader r = {.yaml = SAC_NEW(sac_yaml), .where = where};
    if (!r.yaml || !yaml_parser_initialize(&parser))
    {
        sac_free(r.yaml);
        return sac_fail_memory(where);
    }
    yaml_parser_set_input_string(&parser, bytes, size);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    sac_status status = read_all(&r, &parser);
    yaml_parser_delete(&parser);
    if (status == SAC_OK)
        *out = r.yaml;
    else
        sac_yaml_destroy(r.yaml);
    return status;
}

sac_status sac_yaml_load(sac_yaml **out, const char *path)
{
    *out = NULL;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, SAC_YAML_LIMIT));
    sac_status status = sac_yaml_read(out, bytes, size, path);
    sac_free(bytes);
    return status;
}

void sac_yaml_destroy(sac_yaml *yaml)
{
    if (!yaml) return;
    for (int i = 0; i < yaml->node_count; i++)
    {
        sac_free((void *)yaml->nodes[i].key);
        sac_free((void *)yaml->nodes[i].value);
    }
    sac_free(yaml);
}

int sac_yaml_count(const sac_yaml *yaml)
{
    return yaml->scalar_count;
}

const sac_yaml_entry *sac_yaml_at(const sac_yaml *yaml, int index)
{
    SAC_ASSERT(index >= 0 && index < yaml->scalar_count);
    return &yaml->scalars[index];
}

const sac_yaml_entry *sac_yaml_find(const sac_yaml *yaml, const char *key)
{
    for (int i = 0; i < yaml->scalar_count; i++)
        if (strcmp(yaml->scalars[i].key, key) == 0) return &yaml->scalars[i];
    return NULL;
}
