// What keeps a confined program from files, ports and system calls.
#pragma once
#include "clinux_child.h"

// A Landlock ruleset for the program (close on exec), or -1 where there is none.
int clinux_wall_rules(const clinux_confined *program);
// Raises both walls around the calling process; `rules` may be -1. Only system calls in here. 0 or errno.
int clinux_wall_raise(int rules, bool has_sockets);
