#include "engine/schedule/pass.h"
