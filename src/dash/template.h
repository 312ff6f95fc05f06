#pragma once

#include "files/growing.h"

/// Pages that are made from templates: a page's file with {{words}} that are filled in.

/// Fill a template in.
/// @param name     of its file
/// @param fill_in  adds what a word stands for; *known = false for one that it does not know, which is a file's name
/// then
SAC_CHECKED sac_status sac_template_fill(sac_growing *out, const char *name,
                                         sac_status (*fill_in)(void *user, const char *word, bool *known), void *user);

/// Add words as text of a page.
void sac_grow_escaped(sac_growing *text, const char *words);

/// Add a text file of a run's folder, as text of a page.
SAC_CHECKED sac_status sac_grow_run_text(sac_growing *out, const char *run_dir, const char *name);

/// Add a link that saves a file of a run's folder, which it holds.
SAC_CHECKED sac_status sac_grow_run_link(sac_growing *out, const char *run_dir, const char *name);
