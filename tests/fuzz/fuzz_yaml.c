#include "base/memory.h"
#include "files/yaml.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_yaml *yaml;
    sac_status status = sac_yaml_read(&yaml, data, size, "input");
    fuzz_check_result(status, yaml);
    if (!yaml) return 0;
    int count = sac_yaml_count(yaml);
    sac_setting *settings = calloc((size_t)count + 1, sizeof *settings);
    fuzz_require(settings);
    for (int i = 0; i < count; i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(yaml, i);
        fuzz_require(entry->key[0] && strlen(entry->key) < SAC_TEXT_SIZE && entry->line >= 1);
        fuzz_require(sac_yaml_find(yaml, entry->key) == entry);
        settings[i] = (sac_setting){entry->key, entry->value};
    }
    // sac_yaml_write reads its text again and compares; a map with the key 0 it may refuse
    char *text;
    status = sac_yaml_write(&text, settings, count);
    fuzz_check_result(status, text);
    sac_free(text);
    free(settings);
    sac_yaml_destroy(yaml);
    return 0;
}
