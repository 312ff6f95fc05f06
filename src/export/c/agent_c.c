#include "export/c/agent_c.h"

#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "export/known.h"
#include "export/scene.h"

// This file writes a policy as one freestanding C99 file: its head, its constants, its memory, its code, and its own
// test.

enum
{
    SCENES = 12
};

// Copy a name from a file without characters that could end the comment in which it stands.
static void add_name(sac_growing *text, const char *name)
{
    for (; *name; name++)
    {
        // letters, digits and a few marks: neither a star with a slash nor a trigraph can be made of them
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9') || strchr("-_.: ", *name);
        sac_grow(text, plain ? name : "?", 1);
    }
}

static void add_head(sac_c_file *file)
{
    const sac_policy_def *def = &file->policy->def;
    const sac_export_def *wanted = file->def;
    sac_growing *text = &file->text;
    const char *world = wanted->info && wanted->info->environment[0] ? wanted->info->environment : "any world";
    sac_grow_text(text, "/* A policy for ");
    add_name(text, world);
    sac_grow_text(text, ": %s, %d parameters%s. Written by saccade %s.\n\n", def->kind, file->policy->parameter_count,
                  wanted->int8 ? ", weights in 8 bits" : "", sac_version());
    if (wanted->note) sac_grow_text(text, "   %s\n\n", wanted->note);
    sac_grow_text(text,
                  "   C99 without a library: no allocation, no mathematics but what is here. It is one agent; call\n\n"
                  "       agent_reset();               at the start of an episode\n"
                  "       agent_act(image, action);    at each step: image [%d][%d][%d], 0..255; action [%d]\n\n"
                  "   Every operation and its order are those of the library: the actions are the same to the bit.\n"
                  "   Compiled with -DSELF_TEST it is a program that repeats %d recorded actions: it exits with 0, or\n"
                  "   with the number of the first that differs. */\n\n#include <stdint.h>\n\n",
                  def->height, def->width, def->channels, def->action_size, SCENES);
    // the two functions are declared by the file itself, which has no header beside it
    sac_grow_text(text, "void agent_reset(void);\nvoid agent_act(const uint8_t *image, float *action);\n\n");
}

// Writes agent_reset and agent_act, which call what the parts before them define. Each call is written under the very
// condition under which its part is.
static void add_entry(sac_c_file *file)
{
    const sac_policy_parts *p = &file->parts;
    bool motion = p->actor->motion;
    sac_growing *text = &file->text;
    sac_grow_text(text, "void agent_reset(void)\n{\n%s%s}\n\n",
                  p->actor->controller.has_cell
                      ? "    int i;\n    for (i = 0; i < HIDDEN; i++) state.hidden[i] = state.cell[i] = 0;\n"
                      : "",
                  motion ? "    state.started = 0;\n" : "");
    sac_grow_text(text, "void agent_act(const uint8_t *image, float *action)\n{\n    look(image);\n");
    if (p->embedding->positions) sac_grow_text(text, "    add_positions();\n");
    file->reading->calls(file);
    if (motion) sac_grow_text(text, "    move();\n");
    if (file->policy->normaliser_size > 0) sac_grow_text(text, "    normalise_told();\n");
    sac_grow_text(text, "    think();\n    decide(action);\n}\n");
}

// Write the actions on the scenes, as bits.
static sac_status add_test(sac_c_file *file)
{
    const sac_policy_def *def = &file->policy->def;
    sac_growing *text = &file->text;
    size_t pixels = (size_t)def->height * (size_t)def->width * (size_t)def->channels;
    uint8_t *image = SAC_NEW_ARRAY(uint8_t, pixels);
    float *action = SAC_NEW_ARRAY(float, (size_t)def->action_size);
    sac_status status = image && action ? SAC_OK : sac_fail_memory("recorded actions");
    sac_policy_state *state = NULL;
    if (status == SAC_OK) status = sac_policy_state_create(&state, file->rounded);
    sac_grow_text(text, "\n#ifdef SELF_TEST\nenum\n{\n    SCENES = %d\n};\n\n", SCENES);
    sac_grow_text(text, "static const uint32_t recorded[SCENES][ACTION_SIZE] = {\n");
    for (int scene = 0; status == SAC_OK && scene < SCENES; scene++)
    {
        draw_scene(image, def->height, def->width, def->channels, scene);
        // one state for all scenes, so that the memory of the controller is tested, too
        sac_policy_act(state, image, action);
        sac_grow_text(text, "    {");
        for (int i = 0; i < def->action_size; i++)
        {
            uint32_t bits;
            memcpy(&bits, &action[i], sizeof bits);
            sac_grow_text(text, "0x%08xu,%s", bits, i + 1 < def->action_size ? " " : "");
        }
        sac_grow_text(text, "},\n");
    }
    sac_grow_text(text, "};\n\n");
    sac_c_part(file, "scene.h");
    sac_grow_text(text, "\n");
    sac_c_part(file, "self_test.c");
    sac_policy_state_destroy(state);
    sac_free(image);
    sac_free(action);
    return status;
}

// C wants everything defined before it is used, which decides the order.
static sac_status add_all(sac_c_file *file)
{
    SAC_TRY(sac_c_find_reading(&file->reading, file->policy, &file->parts));
    add_head(file);
    SAC_TRY(sac_c_token_constants(file));
    SAC_TRY(file->reading->constants(file));
    sac_c_controller_constants(file);
    sac_c_part(file, "arithmetic.c");
    sac_c_part(file, "elementary.h");
    sac_grow_text(&file->text, "\n");
    sac_c_part(file, "sums.c");
    sac_grow_text(&file->text, "/* all that changes */\nstatic struct\n{\n");
    sac_c_token_fields(file);
    file->reading->fields(file);
    sac_c_controller_fields(file);
    sac_grow_text(&file->text, "} state;\n\n");
    sac_c_token_code(file);
    file->reading->code(file);
    sac_c_controller_code(file);
    add_entry(file);
    SAC_TRY(add_test(file));
    if (file->missing[0])
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: the C file has no part '%s' yet", file->missing);
    return SAC_OK;
}

// With int8 a second policy is made whose weights are the rounded ones, and the file repeats that one. So every int8
// file can be held against the library, too, bit for bit.
sac_status sac_export_c(const sac_policy *policy, const sac_export_def *def, const char *path, sac_export_sizes *sizes)
{
    sac_policy *rounded = NULL;
    sac_policy_state *state = NULL;
    SAC_TRY(sac_export_check(policy));
    if (def->int8) SAC_TRY(sac_export_round(&rounded, policy));
    sac_c_file file = {.def = def, .policy = policy, .rounded = rounded ? rounded : policy};
    sac_status status = sac_policy_state_create(&state, file.rounded);
    if (status == SAC_OK)
    {
        file.rounded->ops->parts(state, &file.parts);
        status = add_all(&file);
    }
    if (status == SAC_OK)
        status = sac_grow_into_file(&file.text, path, "a C file");
    else
        sac_grow_clear(&file.text);
    if (sizes) *sizes = file.sizes;
    sac_policy_state_destroy(state);
    sac_policy_destroy(rounded);
    return status;
}
