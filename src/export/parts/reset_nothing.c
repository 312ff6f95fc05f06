void agent_reset(void) {}
