#include "cli.h"

// One row a subcommand: a new one needs two lines here and a file in commands/.

extern const cli_command cli_attend;
extern const cli_command cli_bench;
extern const cli_command cli_classify;
extern const cli_command cli_cloud;
extern const cli_command cli_compare;
extern const cli_command cli_config;
extern const cli_command cli_convolution;
extern const cli_command cli_dash;
extern const cli_command cli_distill;
extern const cli_command cli_doctor;
extern const cli_command cli_envs;
extern const cli_command cli_eval;
extern const cli_command cli_export;
extern const cli_command cli_fit;
extern const cli_command cli_generalise;
extern const cli_command cli_heads;
extern const cli_command cli_plot;
extern const cli_command cli_record;
extern const cli_command cli_replay;
extern const cli_command cli_import;
extern const cli_command cli_tasks;
extern const cli_command cli_theory;
extern const cli_command cli_report;
extern const cli_command cli_runs;
extern const cli_command cli_sweep;
extern const cli_command cli_train;
extern const cli_command cli_uptrain;
extern const cli_command cli_watch;
extern const cli_command cli_words;
extern const cli_command cli_zoo;

const cli_command *const cli_commands[] = {
    &cli_train, &cli_distill, &cli_uptrain,     &cli_fit,     &cli_classify,   &cli_heads, &cli_record, &cli_eval,
    &cli_watch, &cli_attend,  &cli_cloud,       &cli_compare, &cli_generalise, &cli_runs,  &cli_sweep,  &cli_plot,
    &cli_dash,  &cli_report,  &cli_replay,      &cli_envs,    &cli_tasks,      &cli_zoo,   &cli_import, &cli_export,
    &cli_bench, &cli_theory,  &cli_convolution, &cli_config,  &cli_doctor,     &cli_words, NULL,
};
