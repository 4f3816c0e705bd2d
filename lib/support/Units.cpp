#include "support/Units.h"
