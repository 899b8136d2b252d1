#include "caec.h"
