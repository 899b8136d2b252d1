// The corners of Linux that Swift's Glibc module does not show.
#pragma once
#include "clinux_child.h"
#include "clinux_local.h"
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// An eventfd (non-blocking, close on exec), or -1.
int clinux_eventfd(void);
// Wakes whoever polls the eventfd. Safe from any thread.
void clinux_eventfd_signal(int fd);
// Takes the signal back; true if there was one.
bool clinux_eventfd_take(int fd);

// Nanoseconds of CLOCK_MONOTONIC.
uint64_t clinux_monotonic_ns(void);
// Sleeps until that instant of CLOCK_MONOTONIC.
void clinux_sleep_until_ns(uint64_t instant);

typedef void *(*clinux_thread_main)(void *);
typedef struct clinux_thread clinux_thread;
// Starts a joinable thread with all signals masked and a 1 MB stack. Its name (15 characters at most) is what ps and
// perf show. priority > 0 asks for SCHED_FIFO of that priority, which its children do not inherit; where the system refuses, the thread runs with the usual
// scheduling and *realtime_errno holds the reason (0 = granted or not asked for). NULL and errno if no thread could start.
clinux_thread *clinux_thread_start(const char *name, int priority, clinux_thread_main run, void *context,
                                   int *realtime_errno);
// Waits for the end of the thread and frees it.
void clinux_thread_join(clinux_thread *thread);
// Frees it and lets the thread run on by itself; for threads without a priority.
void clinux_thread_detach(clinux_thread *thread);

// Keeps every page in memory from its first use on (mlockall with MCL_ONFAULT): 0 or errno. Only where no limit stands
// against it (EPERM otherwise), because under a limit later allocations would fail.
int clinux_lock_memory(void);

// Waits until there is something to read, or the end of it: 1, 0 when the time is over, -1 and errno.
int clinux_wait_readable(int fd, int milliseconds);
// Waits so long for a key of an input device (evdev): 1 with its code and value (1 down, 0 up, 2 repeat), 0 if none came
// or it was no key, -1 when the device is gone.
int clinux_read_key(int fd, int milliseconds, int *code, int *value);
// From now on these signals do nothing but be noted, so that none of them ends the process before it listens to them.
void clinux_note_signals(const int *signals, int count);
// Whether the signal was noted since the last time; takes the note away.
bool clinux_take_noted(int signal);
// Has the kernel keep this process's memory, environment and descriptors from others of the same user, and write no
// core (PR_SET_DUMPABLE). False where it refuses.
bool clinux_forbid_inspection(void);
// Takes a variable out of the environment and overwrites its value, which /proc/PID/environ would go on showing. Before
// there are threads.
void clinux_scrub_environment(const char *name);

// Since when a file has its name, rights and owner (st_ctim, without following a link): Unix seconds, or -1 and errno.
int64_t clinux_changed_at(const char *path);

// Bracket code that must not allocate, lock or block: RealtimeSanitizer, when linked in, stops at a breach. Else nothing.
void clinux_realtime_enter(void);
void clinux_realtime_exit(void);

#ifdef __cplusplus
}
#endif
