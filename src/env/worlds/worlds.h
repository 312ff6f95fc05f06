#pragma once

/// Take the last `count` registered environments back. While no other thread creates any.
void sac_env_unregister_last(int count);
