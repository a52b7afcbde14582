#include "engine/model/experiment.h"
