#include "cheld_signals.h"
#include "clinux.h"

#include <signal.h>

// The first priority not reserved for the compiler: runs before all other constructors of the program.
__attribute__((constructor(101))) static void hold_signals(void) {
    static const int orders[] = {SIGHUP, SIGUSR1, SIGUSR2};
    clinux_note_signals(orders, sizeof orders / sizeof *orders);
}
