#include "dash/escaped.h"

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
