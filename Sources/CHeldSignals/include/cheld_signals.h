// When linked into a program, records the signals that are orders to the daemon (HUP, USR1, USR2) from before `main`: a
// Swift program first sets up a hundred libraries, during which each of these signals would end the process. Signals
// that arrive while the dynamic linker is still at work end it anyway.
#pragma once
