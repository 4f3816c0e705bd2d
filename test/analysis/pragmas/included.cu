// Pragmas in included files are judged where they stand.
#include "included.h"
int main() { included(nullptr, 3); }
