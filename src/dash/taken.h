#pragma once

#include <stddef.h>

/// Give the text of a page's file, such as "page.css"; it ends with a zero byte that `size` does not count.
const char *sac_dash_file(const char *name, size_t *size);
