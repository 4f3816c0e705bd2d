#include "support/Diagnostic.h"
