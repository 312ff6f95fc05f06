#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli.h"
#include "env/worlds/worlds.h"
#include "saccade/env.h"

enum
{
    SHARED = 4 // worlds that have the same option
};

static void print_env(const sac_env_ops *ops)
{
    bool prefix = ops->name[strlen(ops->name) - 1] == ':';
    printf("%s%s: %s\n", ops->name, prefix ? "<id>" : "", ops->summary ? ops->summary : "");
    sac_env *env;
    sac_env_def def = {.id = ops->name};
    if (prefix)
        puts("  observation and action as the one that is named");
    else if (sac_env_create(&env, &def) == SAC_OK)
    {
        const sac_env_spec *spec = sac_env_get_spec(env);
        for (int i = 0; i < spec->observation_count; i++)
        {
            char text[SAC_SPACE_TEXT_SIZE];
            printf("  %-11s  %s%s\n", i ? "" : "observation", sac_space_format(&spec->observations[i], text),
                   spec->observations[i].privileged ? " (privileged: for teachers alone)" : "");
        }
        printf("  action      ");
        if (spec->action_choices)
            printf(" 0..%d", spec->action_choices - 1);
        else
            for (int i = 0; i < spec->action_size; i++)
                printf(" %s%s[%g, %g]", spec->action_names ? spec->action_names[i] : "", spec->action_names ? " " : "",
                       (double)spec->action_low[i], (double)spec->action_high[i]);
        printf("\n  steps        at most %d\n", spec->max_steps);
        sac_env_destroy(env);
    }
    else
        printf("  not available: %s\n", sac_last_error());
    printf("  variants    ");
    if (!ops->variants) printf(" original");
    for (int i = 0; ops->variants && ops->variants[i]; i++) printf(" %s", ops->variants[i]);
    puts("");
}

// of the column of names
static int width_of(const sac_option *options)
{
    int width = 12;
    for (const sac_option *o = options; o && o->name; o++)
        if ((int)strlen(o->name) > width) width = (int)strlen(o->name);
    return width;
}

static void print_option(const sac_option *o, int width)
{
    printf("  %-*s %s%s%s", width, o->name, o->help, o->choices ? ": " : "", o->choices ? o->choices : "");
    if (o->fallback && *o->fallback) printf(" (default %s)", o->fallback);
    puts("");
}

static bool is_same(const sac_option *a, const sac_option *b)
{
    const char *first[] = {a->name, a->help, a->choices, a->fallback},
               *second[] = {b->name, b->help, b->choices, b->fallback};
    for (int i = 0; i < 4; i++)
        if (!first[i] != !second[i] || (first[i] && strcmp(first[i], second[i]) != 0)) return false;
    return true;
}

static bool has(const sac_env_ops *ops, const sac_option *option)
{
    for (const sac_option *o = ops->options; o && o->name; o++)
        if (is_same(o, option)) return true;
    return false;
}

// Counts the worlds from `first` on that have exactly this option.
static int count_with(const sac_option *option, int first)
{
    int count = 0;
    for (int i = first; i < sac_env_count(); i++) count += has(sac_env_at(i), option);
    return count;
}

// Tells whether many worlds have the option, so that it is listed once at the end.
static bool is_shared(const sac_option *option)
{
    return count_with(option, 0) >= SHARED;
}

// each option that many worlds have, once, behind the last of them
static void print_shared(void)
{
    bool any = false;
    for (int i = 0; i < sac_env_count(); i++)
        for (const sac_option *o = sac_env_at(i)->options; o && o->name; o++)
        {
            if (!is_shared(o) || count_with(o, i) < count_with(o, 0)) continue;
            if (!any) puts("\noptions of several worlds, marked * above");
            any = true;
            print_option(o, width_of(sac_env_at(i)->options));
        }
}

// a line for each world NAME:...; false where there is none
static bool print_family(const char *name)
{
    const size_t length = strlen(name);
    bool any = false;
    for (int i = 0; i < sac_env_count(); i++)
    {
        const sac_env_ops *ops = sac_env_at(i);
        if (strncmp(ops->name, name, length) != 0 || ops->name[length] != ':' || !ops->name[length + 1]) continue;
        printf("%s: %s\n", ops->name, ops->summary ? ops->summary : "");
        any = true;
    }
    return any;
}

static int print_one(const char *name)
{
    const sac_env_ops *ops = sac_env_find(name);
    if (!ops && print_family(name)) return CLI_OK;
    if (!ops)
        return cli_usage("envs: unknown environment '%.80s'%s", name,
                         sac_did_you_mean(sac_nearest(name, sac_world_name, NULL)));
    print_env(ops);
    const int width = width_of(ops->options);
    for (const sac_option *o = ops->options; o && o->name; o++) print_option(o, width);
    return CLI_OK;
}

static int run(const cli_args *args)
{
    if (cli_positional(args, 0)) return print_one(cli_positional(args, 0));
    for (int i = 0; i < sac_env_count(); i++)
    {
        const sac_env_ops *ops = sac_env_at(i);
        if (i > 0) puts("");
        print_env(ops);
        bool shared = false;
        for (const sac_option *o = ops->options; o && o->name; o++)
        {
            if (!is_shared(o)) print_option(o, width_of(ops->options));
            shared |= is_shared(o);
        }
        if (!shared) continue;
        fputs("  *           ", stdout);
        for (const sac_option *o = ops->options; o->name; o++)
            if (is_shared(o)) printf(" %s", o->name);
        puts("");
    }
    print_shared();
    return CLI_OK;
}

const cli_command cli_envs = {"envs", "[ENV]", "the environments, or one, with their spaces, variants and options",
                              NULL, run};
