#include "engine/runtime/training_run.h"
