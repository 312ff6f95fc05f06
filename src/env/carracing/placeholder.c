#include "env/registry.h"
const sac_env_ops sac_car_racing_ops = {.name = "car-racing", .summary = "not built yet"};
