#include "engine/store/run_record.h"
