#include "failing_memory.h"
#include "readings_scene.h"

/// Keys that are refreshed every n frames, and several heads.

static scene s;

static sac_key_database_def def_of(int capacity, int period)
{
    sac_key_database_def def = sac_key_database_default_def();
    def.attention = s.attention;
    def.capacity = capacity;
    def.period = period;
    return def;
}

TEST(every_nth_frame_is_due)
{
    scene_open(&s, "relu", 5, 2, 3, 1, false);
    sac_key_database *db;
    for (int period = 1; period <= 4; period++)
    {
        sac_key_database_def def = def_of(5, period);
        assert_ok(sac_key_database_create(&db, &def));
        for (int episode = 0; episode < 2; episode++, sac_key_database_reset(db))
            for (int frame = 0; frame < 10 + episode; frame++)
                assert_int_equal(sac_key_database_frame(db), frame % period == 0);
        sac_key_database_destroy(db);
    }
    scene_close(&s);
}

// between refreshes scores come from the old keys and the new queries
TEST(scores_are_those_of_the_keys_it_holds)
{
    static float scores[2 * SCENE_MAX_TOKENS], expected[2 * SCENE_MAX_TOKENS], z[2 * SCENE_MAX_FEATURES];
    static float weights[2 * SCENE_MAX_TOKENS], later[sizeof s.keys / sizeof(float)];
    const char *form;
    for (int i = 0; (form = scene_form(i)); i++)
    {
        scene_open(&s, form, 83, 5, 3, 1, true);
        fill_uniform(weights, (size_t)(2 * s.n), 4);
        fill_uniform(later, sizeof later / sizeof *later, 5);
        void *workspace = scene_memory(sac_rank_workspace_size(s.attention));
        sac_key_database *db;
        sac_key_database_def def = def_of(100, 2);
        assert_ok(sac_key_database_create(&db, &def));
        double largest = 0; // of all features of keys, also of the later ones
        void *own = scene_memory(sac_attention_workspace_size(s.attention, s.n));
        for (int f = 0; f < s.f * s.n; f++) largest = fmax(largest, fabs((double)s.phi_k[f]));
        sac_attention_features(s.attention, SAC_KEYS, s.phi_k, s.n, later, s.n, s.stride, own);
        for (int f = 0; f < s.f * s.n; f++) largest = fmax(largest, fabs((double)s.phi_k[f]));
        free(own);
        for (int frame = 0; frame < 3; frame++)
        {
            const float *keys = frame == 0 ? s.keys : later;
            if (sac_key_database_frame(db)) sac_key_database_refresh(db, keys, s.n - frame, s.stride);
            int held = sac_key_database_count(db);
            assert_int_equal(held, frame == 2 ? s.n - 2 : s.n);
            sac_rank_summary(s.attention, z, weights, 2, s.n, s.queries + frame, s.n - 2, s.stride, workspace);
            sac_key_database_scores(db, scores, s.n, z, 2, s.n - 2);
            const float *used = frame == 2 ? later : s.keys;
            sac_rank_scores(s.attention, expected, s.n, z, 2, s.n - 2, used, held, s.stride, workspace);
            for (int r = 0; r < 2; r++)
                for (int j = 0; j < held; j++)
                {
                    // the same products in the same order, but for where the gains of phi come in
                    double size = 0;
                    for (int f = 0; f < s.f; f++) size += fabs((double)z[r * s.f + f]) * largest;
                    assert_near(scores[r * s.n + j], expected[r * s.n + j], size / (s.n - 2) * (s.f + 4) * ROUNDING);
                }
        }
        sac_key_database_destroy(db);
        free(workspace);
        scene_close(&s);
    }
}

TEST(it_holds_a_tree)
{
    static float nodes[128 * SCENE_MAX_FEATURES], z[SCENE_MAX_FEATURES];
    scene_open(&s, "positive", 50, 4, 6, 1, false);
    sac_key_database *db;
    sac_key_database_def def = def_of(64, 1);
    def.tree = true;
    assert_ok(sac_key_database_create(&db, &def));
    assert_null(sac_key_database_tree(db));
    sac_key_database_refresh(db, s.keys, s.n, s.stride);
    void *workspace = scene_memory(sac_rank_workspace_size(s.attention));
    sac_tree tree = sac_tree_create(s.attention, nodes, s.keys, s.n, s.stride, workspace);
    sac_rank_summary(s.attention, z, NULL, 1, 0, s.queries, s.n, s.stride, workspace);
    for (int i = 0; i < 20; i++)
    {
        double uniform[6];
        for (int k = 0; k < 6; k++) uniform[k] = (i * 7 + k * 3) % 20 / 20.0;
        assert_int_equal(sac_tree_draw(sac_key_database_tree(db), z, uniform), sac_tree_draw(&tree, z, uniform));
    }
    free(workspace);
    sac_key_database_destroy(db);
    scene_close(&s);
}

TEST(it_holds_hashes)
{
    enum
    {
        BITS = 100
    };
    static float scores[SCENE_MAX_TOKENS], z[SCENE_MAX_FEATURES];
    scene_open(&s, "relu", 50, 4, 6, 1, true);
    sac_key_database *db;
    sac_key_database_def def = def_of(50, 1);
    def.hash_bits = BITS;
    def.hash_seed = 3;
    assert_ok(sac_key_database_create(&db, &def));
    sac_key_database_refresh(db, s.keys, s.n, s.stride);
    for (int f = 0; f < s.f; f++) z[f] = s.phi_k[f * s.n + 7]; // key 7 itself
    sac_key_database_hash_scores(db, scores, z, 1);
    float length = sac_hash_length(s.attention, z, 1);
    assert_true(length > 0 && scores[7] == length);
    for (int j = 0; j < s.n; j++) assert_true(scores[j] <= length && scores[j] >= -length);
    sac_key_database_destroy(db);
    scene_close(&s);
}

TEST(bad_fields_are_named)
{
    scene_open(&s, "relu", 1, 2, 3, 1, false);
    sac_key_database *db;
    sac_key_database_def def = def_of(0, 1);
    assert_fails(sac_key_database_create(&db, &def), SAC_ERROR_ARGUMENT, "capacity");
    assert_null(db);
    def = def_of(1, 0);
    assert_fails(sac_key_database_create(&db, &def), SAC_ERROR_ARGUMENT, "period");
    def = def_of(1, 1);
    def.hash_bits = -1;
    assert_fails(sac_key_database_create(&db, &def), SAC_ERROR_ARGUMENT, "hash_bits");
    def.internal = 0;
    assert_fails(sac_key_database_create(&db, &def), SAC_ERROR_ARGUMENT, "default_def");
    def = def_of(9, 2);
    def.tree = true;
    def.hash_bits = 40;
    assert_survives_lack_of_memory(sac_key_database_create(&db, &def), sac_key_database_destroy(db));
    scene_close(&s);

    sac_attention_def softmax = sac_attention_default_def();
    softmax.key_size = 2;
    assert_ok(sac_attention_create(&s.attention, &softmax));
    def = def_of(1, 1);
    assert_fails(sac_key_database_create(&db, &def), SAC_ERROR_ARGUMENT, "softmax, expected a linear form");
    sac_attention_destroy(s.attention);
    sac_key_database_destroy(NULL);
}

TESTS(every_nth_frame_is_due, scores_are_those_of_the_keys_it_holds, it_holds_a_tree, it_holds_hashes,
      bad_fields_are_named)
