// Linked into a program, it notes the signals that are orders to the daemon (HUP, USR1, USR2) from before `main` on: a program
// in Swift has a hundred libraries to set up first, in which each of them would end the process. What comes while the dynamic
// linker is still at work ends it all the same.
#pragma once
