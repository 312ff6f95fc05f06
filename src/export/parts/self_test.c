/* the number of the first scene whose action is not the recorded one, from 1 on; 0: all are as recorded */
static int self_test(void)
{
    static uint8_t image[INPUT_HEIGHT * INPUT_WIDTH * CHANNELS];
    float action[ACTION_SIZE];
    int scene, i;
    agent_reset();
    for (scene = 0; scene < SCENES; scene++)
    {
        draw_scene(image, INPUT_HEIGHT, INPUT_WIDTH, CHANNELS, scene);
        agent_act(image, action);
        for (i = 0; i < ACTION_SIZE; i++)
            if (bits_of(action[i]) != recorded[scene][i]) return scene + 1;
    }
    return 0;
}

int main(void)
{
    return self_test();
}
#endif
