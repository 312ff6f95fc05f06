#pragma once

/// Take the last `count` registered environments back. While no other thread creates any.
void sac_env_unregister_last(int count);

/// The name of the index-th world, NULL past the last: what sac_nearest chooses from. `user` is ignored.
const char *sac_world_name(const void *user, int index);
