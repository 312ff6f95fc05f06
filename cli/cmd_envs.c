#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "saccade/env.h"

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
        printf("  observation  %d x %d x %d, 0..255\n  action      ", spec->height, spec->width, spec->channels);
        if (spec->action_choices)
            printf(" 0..%d", spec->action_choices - 1);
        else
            for (int i = 0; i < spec->action_size; i++)
                printf(" [%g, %g]", (double)spec->action_low[i], (double)spec->action_high[i]);
        printf("\n  steps        at most %d\n", spec->max_steps);
        sac_env_destroy(env);
    }
    else
        printf("  not available: %s\n", sac_last_error());
    printf("  variants    ");
    if (!ops->variants) printf(" original");
    for (int i = 0; ops->variants && ops->variants[i]; i++) printf(" %s", ops->variants[i]);
    puts("");
    for (const sac_option *o = ops->options; o && o->name; o++)
    {
        printf("  %-12s %s%s%s", o->name, o->help, o->choices ? ": " : "", o->choices ? o->choices : "");
        if (o->fallback && *o->fallback) printf(" (default %s)", o->fallback);
        puts("");
    }
}

static int run(const cli_args *args)
{
    (void)args;
    for (int i = 0; i < sac_env_count(); i++)
    {
        if (i > 0) puts("");
        print_env(sac_env_at(i));
    }
    return CLI_OK;
}

const cli_command cli_envs = {"envs", "", "the environments, with their spaces, variants and options", NULL, run};
