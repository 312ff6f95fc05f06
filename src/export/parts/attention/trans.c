/* IAP-trans: the patches become L tokens of V numbers, LN(P V + P Q' K'^T V). Sums over patches are taken block by
   block, each in parts of their own, for as many rows at a time as there are parts. */

/* values lie behind queries and keys */
static float value_of(int v, int patch)
{
    return state.tokens[2 * D + v][patch];
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void clear_parts(int count)
{
    int i;
    for (i = 0; i < count * LANES; i++) state.parts[i / LANES][i % LANES] = 0;
}

/* add the sums of a block to those before it */
static void add_parts(float *sums, int count)
{
    int i;
    for (i = 0; i < count; i++) sums[i] += sum_of(state.parts[i]);
}

/* sums[r][f] = sum over patches of weight(r, patch) phi_f(patch); side 0: queries, 1: keys */
static void gather(float *sums, int side, int rows, float (*weight)(int row, int patch), const double *gains)
{
    float phi[FEATURES];
    int row, first, patch, r, f, i;
    for (i = 0; i < rows * FEATURES; i++) sums[i] = 0;
    /* with many rows the patches are gone through several times: memory is dearer than time on a small chip */
    for (row = 0; row < rows; row += PARTS / FEATURES)
        for (first = 0; first < TOKENS; first += BLOCK)
        {
            int group = smaller(rows - row, PARTS / FEATURES), end = smaller(TOKENS, first + BLOCK);
            clear_parts(group * FEATURES);
            for (patch = first; patch < end; patch++)
            {
                read_features(phi, state.tokens + side * D, patch, side);
                for (r = 0; r < group; r++)
                {
                    float w = weight(row + r, patch);
                    for (f = 0; f < FEATURES; f++)
                    {
                        float *part = &state.parts[r * FEATURES + f][(patch - first) % LANES];
                        *part = fused(w, phi[f], *part);
                    }
                }
            }
            add_parts(sums + row * FEATURES, group * FEATURES);
        }
    /* gains are multiplied last, in double, as the library does */
    for (i = 0; i < rows * FEATURES; i++) sums[i] = (float)((double)sums[i] * gains[i % FEATURES]);
}

/* one row of weights times the features of a token */
static float mixed(const float *weights, const float *phi)
{
    float sum = weights[0] * phi[0];
    int f;
    for (f = 1; f < FEATURES; f++) sum = fused(weights[f], phi[f], sum);
    return sum;
}

/* out[r][v] += sum over patches of left_r right_v, which `read` gives for rows from one on */
static void add_products(float *out, int block, void (*read)(float *left, int row, int rows, float *right, int patch))
{
    float left[L], right[V];
    int row, first, patch, r, v;
    for (row = 0; row < L; row += PARTS / V)
        for (first = 0; first < TOKENS; first += block)
        {
            int group = smaller(L - row, PARTS / V), end = smaller(TOKENS, first + block);
            clear_parts(group * V);
            for (patch = first; patch < end; patch++)
            {
                read(left, row, group, right, patch);
                for (r = 0; r < group; r++)
                    for (v = 0; v < V; v++)
                    {
                        float *part = &state.parts[r * V + v][(patch - first) % LANES];
                        *part = fused(left[r], right[v], *part);
                    }
            }
            add_parts(out + row * V, group * V);
        }
}
