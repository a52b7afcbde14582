#include "engine/simulate/cost_model.h"
