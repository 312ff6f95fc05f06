#include "dash/template.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/taken.h"
#include "files/atomic.h"

enum
{
    FILE_LIMIT = 64 << 20
};

sac_status sac_template_fill(sac_growing *out, const char *name,
                             sac_status (*fill_in)(void *user, const char *word, bool *known), void *user)
{
    size_t size;
    const char *at = sac_dash_file(name, &size);
    for (const char *open; (open = strstr(at, "{{"));)
    {
        const char *close = strstr(open, "}}");
        char word[32];
        bool known = true;
        snprintf(word, sizeof word, "%.*s", (int)(close - open - 2), open + 2);
        sac_grow(out, at, (size_t)(open - at));
        SAC_TRY(fill_in(user, word, &known));
        if (!known)
        {
            const char *text = sac_dash_file(word, &size);
            sac_grow(out, text, size);
        }
        at = close + 2;
    }
    sac_grow(out, at, strlen(at));
    return SAC_OK;
}

void sac_grow_escaped(sac_growing *text, const char *words)
{
    for (; *words; words++)
    {
        const char *instead = *words == '<'   ? "&lt;"
                              : *words == '>' ? "&gt;"
                              : *words == '&' ? "&amp;"
                              : *words == '"' ? "&quot;"
                                              : NULL;
        if (instead)
            sac_grow_text(text, "%s", instead);
        else
            sac_grow(text, words, 1);
    }
}

static sac_status read_run_file(const char *run_dir, const char *name, uint8_t **bytes, size_t *size)
{
    char path[SAC_PATH_SIZE];
    *bytes = NULL;
    SAC_TRY(sac_join_path(path, run_dir, name));
    return sac_read_file(bytes, size, path, FILE_LIMIT);
}

sac_status sac_grow_run_text(sac_growing *out, const char *run_dir, const char *name)
{
    uint8_t *bytes;
    size_t size;
    SAC_TRY(read_run_file(run_dir, name, &bytes, &size));
    sac_grow_escaped(out, (const char *)bytes);
    sac_free(bytes);
    return SAC_OK;
}

sac_status sac_grow_run_link(sac_growing *out, const char *run_dir, const char *name)
{
    uint8_t *bytes;
    size_t size;
    SAC_TRY(read_run_file(run_dir, name, &bytes, &size));
    sac_grow_text(out, "<a download=\"%s\" href=\"data:application/octet-stream;base64,", name);
    sac_grow_base64(out, bytes, size);
    sac_grow_text(out, "\">%s</a>", name);
    sac_free(bytes);
    return SAC_OK;
}
