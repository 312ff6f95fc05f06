#include "dash/taken.h"

#include <string.h>

#include "base/error.h"
#include "dash_files.h"

const char *sac_dash_file(const char *name, size_t *size)
{
    size_t i = 0, count = sizeof embedded / sizeof *embedded;
    while (i < count && strcmp(embedded[i].name, name) != 0) i++;
    SAC_ASSERT(i < count);
    *size = embedded[i].size;
    return embedded[i].text;
}
