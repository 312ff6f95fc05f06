/* softmax: importance[j] = sum_i exp(s_ij) / sum_j exp(s_ij). Equal patches have equal scores, so that the sums run
   over the distinct ones with their counts. */

/* the same query and the same key: bits are compared, so that 0 and -0 are different */
static int are_equal(int a, int b)
{
    int o;
    for (o = 0; o < 2 * D; o++)
        if (bits_of(state.tokens[o][a]) != bits_of(state.tokens[o][b])) return 0;
    return 1;
}

/* the number of groups of equal patches; where there are more than CAPACITY every patch is a group of its own, because
   to look for equal ones would then take longer than it saves */
static int find_groups(void)
{
    int n, g, count = 0;
    for (n = 0; n < TOKENS; n++)
    {
        for (g = 0; g < count && !are_equal(n, state.first[g]); g++)
        {
        }
        if (g == CAPACITY) break;
        if (g == count)
        {
            state.first[count] = (uint16_t)n;
            state.number[count++] = 0;
        }
        state.group[n] = (uint16_t)g;
        state.number[g]++;
    }
    if (n == TOKENS) return count;
    for (n = 0; n < TOKENS; n++) state.group[n] = state.first[n] = (uint16_t)n, state.number[n] = 1;
    return TOKENS;
}

/* the largest |x|^2 of all queries, or of all keys */
static float largest_square(float tokens[][TOKENS])
{
    float most = 0, lanes[LANES] = {0};
    int j, d;
    for (j = 0; j < TOKENS; j++)
    {
        float square = tokens[0][j] * tokens[0][j];
        for (d = 1; d < D; d++) square = fused(tokens[d][j], tokens[d][j], square);
        most = square > most ? square : most;
        lanes[j % LANES] += square;
    }
    return fused(sum_of(lanes), 0.0f, most); /* not a number where something is none */
}

/* start + q . k, in which start is minus the largest score where one is subtracted */
static float score(float start, const float query[D], int key)
{
    int d;
    for (d = 0; d < D; d++) start = fused(query[d], state.tokens[D + d][key], start);
    return start;
}

/* one row of the matrix, and what it adds to every key */
static void attend_from(int group, int groups, int near)
{
    float query[D], lanes[LANES] = {0}, largest = with_bits(0xff800000u), share;
    int d, j;
    for (d = 0; d < D; d++) query[d] = state.tokens[d][state.first[group]] * SOFTMAX_FACTOR;
    /* as is usual the largest score is subtracted, so that no power overflows; it is not needed where all are near 0 */
    for (j = 0; j < groups && !near; j++)
    {
        float t = score(0, query, state.first[j]);
        largest = t > largest ? t : largest;
    }
    for (j = 0; j < groups; j++)
    {
        float t = score(near ? 0 : -largest, query, state.first[j]);
        state.row[j] = near ? sac_exp2_near(t) : sac_exp2(t);
        lanes[j % LANES] = fused((float)state.number[j], state.row[j], lanes[j % LANES]);
    }
    /* all patches of this group ask the same, so their rows are added at once */
    share = (float)state.number[group] / sum_of(lanes);
    for (j = 0; j < groups; j++) state.gained[j] = fused(share, state.row[j], state.gained[j]);
}

static void attend(void)
{
    double query = (double)largest_square(state.tokens), key = (double)largest_square(state.tokens + D);
    /* whether no score can leave the range of 2^x */
    int near = query * key * (double)SOFTMAX_FACTOR * (double)SOFTMAX_FACTOR < 60.0 * 60.0;
    int g, n, groups = find_groups();
    for (g = 0; g < groups; g++) state.gained[g] = 0;
    for (g = 0; g < groups; g++) attend_from(g, groups, near);
    for (n = 0; n < TOKENS; n++) state.row[n] = state.gained[state.group[n]];
}
