#include "engine/service/engine_service.h"
