/* IAP-trans: the patches become L tokens of V numbers, LN(P V + P Q' K'^T V), over blocks of patches */

/* features of a block of queries (side 0) or keys (1) */
static void read_block(int side, int first, int count)
{
    float phi[FEATURES];
    int i, f;
    for (i = 0; i < count; i++)
    {
        read_features(phi, state.tokens + side * D, first + i, side);
        for (f = 0; f < FEATURES; f++) state.block[f * BLOCK + i] = phi[f];
    }
}

static int block_at(int first)
{
    return TOKENS - first < BLOCK ? TOKENS - first : BLOCK;
}

/* sums[m] += sum over j of line[j] b[m][j] */
static void contract(float *sums, const float *line, const float *b, int stride, int size, int n)
{
    int m, j;
    for (m = 0; m < size; m++)
    {
        float lanes[LANES] = {0};
        for (j = 0; j < n; j++) lanes[j % LANES] = fused(line[j], b[m * stride + j], lanes[j % LANES]);
        sums[m] += sum_of(lanes);
    }
}

/* one row of weights times x */
static void mix(float *out, const float *weights, const float *x, int stride, int size, int n)
{
    int m, j;
    for (j = 0; j < n; j++)
    {
        float sum = weights[0] * x[j];
        for (m = 1; m < size; m++) sum = fused(weights[m], x[m * stride + j], sum);
        out[j] = sum;
    }
}

static const float *projection_line(int row, int first, int count)
{
    int j;
    for (j = 0; j < count; j++) state.line[j] = trans_projection(row, first + j);
    return state.line;
}

static void apply(float *sums, const double *gains, int rows)
{
    int i;
    for (i = 0; i < rows * FEATURES; i++) sums[i] = (float)((double)sums[i] * gains[i % FEATURES]);
}

/* P Q' */
static void summarise(void)
{
    int first, r;
    for (r = 0; r < L * FEATURES; r++) state.summary[r] = 0;
    for (first = 0; first < TOKENS; first += BLOCK)
    {
        int count = block_at(first);
        read_block(0, first, count);
        for (r = 0; r < L; r++)
            contract(state.summary + r * FEATURES, projection_line(r, first, count), state.block, BLOCK, FEATURES,
                     count);
    }
    apply(state.summary, gain_of_queries, L);
}

/* V^T K' */
static void gather(void)
{
    int first, v;
    for (v = 0; v < V * FEATURES; v++) state.product[v] = 0;
    for (first = 0; first < TOKENS; first += BLOCK)
    {
        int count = block_at(first);
        read_block(1, first, count);
        for (v = 0; v < V; v++)
            contract(state.product + v * FEATURES, state.tokens[2 * D + v] + first, state.block, BLOCK, FEATURES,
                     count);
    }
    apply(state.product, gain_of_keys, V);
}
