#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/json.h"
#include "files/yaml.h"
#include "frame/share.h"

/// saccade tasks: the task files in the folder tasks and those that are installed, with what each says of itself.

enum
{
    FILE_LIMIT = 1 << 20,
    COMMENT_SIZE = 4096,
    ABOUT_SIZE = 200
};

static const cli_flag flags[] = {
    {"json", NULL, "print JSON", false},
    {0},
};

// Where the sentence that the text begins ends: at a full stop or, outside of parentheses, a colon before a blank; or
// with the text.
static size_t sentence(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length]; length++)
    {
        depth += (text[length] == '(') - (text[length] == ')');
        bool mark = text[length] == '.' || (text[length] == ':' && depth == 0);
        if (mark && (text[length + 1] == ' ' || !text[length + 1])) break;
    }
    return length;
}

// the first sentence of the comment that a file opens with
static void read_about(char about[ABOUT_SIZE], const char *path)
{
    uint8_t *bytes;
    size_t size, length = 0;
    char comment[COMMENT_SIZE] = "";
    about[0] = 0;
    if (sac_read_file(&bytes, &size, path, FILE_LIMIT) != SAC_OK) return;
    for (const char *line = (const char *)bytes; *line == '#' && length < sizeof comment - 1;)
    {
        size_t end = strcspn(line, "\n");
        length += (size_t)snprintf(comment + length, sizeof comment - length, "%s%.*s", length ? " " : "",
                                   (int)end - 1 - (line[1] == ' '), line + 1 + (line[1] == ' '));
        line += end + (line[end] == '\n');
    }
    snprintf(about, ABOUT_SIZE, "%.*s", (int)sentence(comment), comment);
    sac_free(bytes);
}

static int is_task(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

// a task, a sweep over one, or a net for pictures; another YAML file has none of these
static sac_status add(json_t *list, const char *folder, const char *name)
{
    char path[SAC_PATH_SIZE], about[ABOUT_SIZE], world[SAC_TEXT_SIZE];
    sac_yaml *yaml;
    SAC_TRY(sac_join_path(path, folder, name));
    SAC_TRY(sac_yaml_load(&yaml, path));
    const sac_yaml_entry *id = sac_yaml_find(yaml, "env.id"), *task = sac_yaml_find(yaml, "task");
    const sac_yaml_entry *net = sac_yaml_find(yaml, "net.kind");
    snprintf(world, sizeof world, "%s", id ? id->value : task ? "sweep" : net ? "pictures" : "");
    sac_yaml_destroy(yaml);
    read_about(about, path);
    if (world[0]) json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "task", path, "env", world, "about", about));
    return SAC_OK;
}

static const char *text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static void print_table(const json_t *list)
{
    int width = 0, world = 0;
    size_t i;
    json_t *row;
    json_array_foreach(list, i, row)
    {
        if ((int)strlen(text(row, "task")) > width) width = (int)strlen(text(row, "task"));
        if ((int)strlen(text(row, "env")) > world) world = (int)strlen(text(row, "env"));
    }
    json_array_foreach(list, i, row)
        printf("%-*s  %-*s  %s\n", width, text(row, "task"), world, text(row, "env"), text(row, "about"));
    puts("\n'saccade train TASK' trains one, 'saccade sweep TASK' those that are a sweep, 'saccade fit TASK' those of "
         "pictures");
}

// a file that cannot be read as a task is left out, and a line on standard error says why
static void add_folder(json_t *list, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_task, alphasort);
    for (int i = 0; i < count; i++)
    {
        if (add(list, folder, entries[i]->d_name) != SAC_OK)
            fprintf(stderr, "saccade: tasks: left out, as it is no task: %s\n", sac_last_error());
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static int run(const cli_args *args)
{
    char here[] = "tasks", installed[CLI_PATH_SIZE];
    bool is_installed = cli_installed_folder(installed, here);
    if (!is_installed && !sac_is_folder(here))
    {
        fprintf(stderr, "saccade: tasks: no folder of task files at ./tasks or %s\n", installed);
        return CLI_FAILURE;
    }
    json_t *list = json_array();
    if (sac_is_folder(here)) add_folder(list, here);
    if (is_installed) add_folder(list, installed);
    sac_status status = SAC_OK;
    if (cli_has(args, "json"))
        status = sac_json_print(stdout, json_incref(list));
    else
        print_table(list);
    json_decref(list);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_tasks = {"tasks", "", "the task files that are installed, with the world and what each is", flags,
                               run};
