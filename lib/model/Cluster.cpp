#include "model/Violations.h"
