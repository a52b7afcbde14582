#include "engine/timeline/timeline.h"
