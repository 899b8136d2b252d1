#include "clinux.h"
