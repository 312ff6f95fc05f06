#include "commands/nets/score.h"

#include <stdio.h>

#include "files/json.h"

void cli_print_score(const sac_classify_score *s)
{
    printf("%zu parameters; %.2f %% of %d test pictures right\nclass", s->parameters, 100 * s->accuracy, s->pictures);
    for (int j = 0; j < s->classes; j++) printf(" %5d", j);
    puts("  right");
    for (int i = 0; i < s->classes; i++)
    {
        int all = 0;
        printf("%5d", i);
        for (int j = 0; j < s->classes; j++)
        {
            const int count = s->confusion[i * s->classes + j];
            printf(" %5d", count);
            all += count;
        }
        if (all > 0)
            printf(" %5.1f%%\n", 100.0 * s->confusion[i * s->classes + i] / all);
        else
            puts("      -");
    }
}

sac_status cli_print_score_json(const sac_classify_score *s)
{
    json_t *table = json_array();
    for (int i = 0; i < s->classes; i++)
    {
        json_t *row = json_array();
        for (int j = 0; j < s->classes; j++) json_array_append_new(row, json_integer(s->confusion[i * s->classes + j]));
        json_array_append_new(table, row);
    }
    return sac_json_print(stdout, json_pack("{s:I, s:i, s:o, s:o, s:o}", "parameters", (json_int_t)s->parameters,
                                            "pictures", s->pictures, "test_loss", sac_json_number(s->loss),
                                            "test_accuracy", sac_json_number(s->accuracy), "confusion", table));
}
