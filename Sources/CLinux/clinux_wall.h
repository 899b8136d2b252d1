// Confines a program: which files, ports and system calls it may use.
#pragma once
#include "clinux_child.h"

// A Landlock ruleset for the program (close-on-exec), or -1 if there is none.
int clinux_wall_rules(const clinux_confined *program);
// Confines the calling process with Landlock and seccomp; `rules` may be -1. Makes system calls only. 0 or errno.
int clinux_wall_raise(int rules, bool has_sockets);
