#pragma once

#include "classify/heads.h"
#include "files/atomic.h"

/// Heads of one net, or of all that a fit kept, as pictures, a film and a table.

enum
{
    CLI_NETS = 4096, ///< that a run may have kept
    CLI_PANELS = 9   ///< of a layer over training
};

/// Nets of a run in the order of their epochs, or one net.
typedef struct cli_nets
{
    char run[SAC_TEXT_SIZE * 2]; ///< folder
    uint64_t *epochs;            ///< [count]
    int count;                   ///< kept nets
} cli_nets;

/// Find the nets that a run keeps in nets/. None is no error.
SAC_CHECKED sac_status cli_nets_find(cli_nets *nets, const char *run);
void cli_nets_clear(cli_nets *nets);

/// The file of a kept net, 0..count-1 in the order of their epochs.
SAC_CHECKED sac_status cli_nets_path(char path[SAC_PATH_SIZE], const cli_nets *nets, int index);

/// How heads are measured and drawn.
typedef struct cli_heads_plan
{
    const sac_setting *settings; ///< of the section data
    int setting_count;
    int pictures;
    double reach;               ///< tokens from the middle to the edge of a panel; 0: as the first net needs
    const char *video, *frames; ///< NULL: none
    const char *table;          ///< CSV; NULL: none
    int frames_per_second;
    int layer; ///< that is drawn over training; -1: none
} cli_heads_plan;

/// Load a net and measure its heads.
SAC_CHECKED sac_status cli_heads_load(sac_heads_seen *out, const char *path, const cli_heads_plan *plan);

/// Draw one net's heads into FILE.svg or FILE.png.
SAC_CHECKED sac_status cli_heads_draw(const sac_heads_seen *seen, const cli_heads_plan *plan, const char *title,
                                      const char *path);

/// Draw one layer's heads over training into FILE.svg or FILE.png: a panel a kept net, or where there are more than
/// CLI_PANELS the first, the last and those that divide the time between them.
/// @return SAC_ERROR_ARGUMENT also where there is no such layer
SAC_CHECKED sac_status cli_heads_draw_layer(const cli_nets *nets, const cli_heads_plan *plan, int layer,
                                            const char *path);

/// Write the film and the table of all kept nets.
SAC_CHECKED sac_status cli_heads_over(const cli_nets *nets, const cli_heads_plan *plan);

/// Write the table of one net, whose epoch is left empty.
SAC_CHECKED sac_status cli_heads_table(const sac_heads_seen *seen, const char *path);
