#include "cdsp.h"
