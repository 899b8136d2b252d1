// Linux calls that Swift's Glibc module does not expose.
#pragma once
#include "clinux_child.h"
#include "clinux_local.h"
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns an eventfd (non-blocking, close-on-exec), or -1.
int clinux_eventfd(void);
// Wakes the thread that polls the eventfd. Safe from any thread.
void clinux_eventfd_signal(int fd);
// Clears the signal; true if there was one.
bool clinux_eventfd_take(int fd);

// CLOCK_MONOTONIC in nanoseconds.
uint64_t clinux_monotonic_ns(void);

// The same with the time during which the machine was suspended (CLOCK_BOOTTIME).
uint64_t clinux_boottime_ns(void);

// Unix time of midnight of the day on which this file was compiled, in the builder's time zone; SOURCE_DATE_EPOCH sets it.
int64_t clinux_built(void);
// Sleeps until this instant of CLOCK_MONOTONIC.
void clinux_sleep_until_ns(uint64_t instant);

typedef void *(*clinux_thread_main)(void *);
typedef struct clinux_thread clinux_thread;
// Starts a joinable thread with all signals masked and a 1 MB stack. ps and perf show its name (at most 15 characters).
// priority > 0 requests SCHED_FIFO of that priority, which forked children do not inherit. If the system refuses, the
// thread runs with normal scheduling and *realtime_errno holds the reason (0 = granted or not requested). Returns NULL and
// sets errno if no thread could start.
clinux_thread *clinux_thread_start(const char *name, int priority, clinux_thread_main run, void *context,
                                   int *realtime_errno);
// Waits for the thread to end and frees it.
void clinux_thread_join(clinux_thread *thread);
// Frees the handle and lets the thread run on detached; for threads without a priority.
void clinux_thread_detach(clinux_thread *thread);

// Locks every page in memory from its first use on (mlockall with MCL_ONFAULT): 0 or errno. EPERM unless the memory lock
// limit is infinite or does not apply, because under a limit later allocations would fail.
int clinux_lock_memory(void);

// Waits for readable data or end of file: 1, 0 on timeout, -1 and errno.
int clinux_wait_readable(int fd, int milliseconds);
// Waits for a key of an input device (evdev): 1 with its code and value (1 down, 0 up, 2 repeat), 0 if no key event came,
// -1 if the device is gone.
int clinux_read_key(int fd, int milliseconds, int *code, int *value);
// From now on these signals are only noted, so that none of them ends the process before it listens for them.
void clinux_note_signals(const int *signals, int count);
// Whether the signal was noted since the last call; clears the note.
bool clinux_take_noted(int signal);
// From now on a crash first writes the text (at most 63 bytes) to standard output and gives the terminal behind standard
// input the settings that it has now.
void clinux_restore_terminal_on_crash(const char *text);
// Makes the kernel protect this process's memory, environment and descriptors from other processes of the same user, and
// write no core dump (PR_SET_DUMPABLE). False if it refuses.
bool clinux_forbid_inspection(void);
// Removes a variable from the environment and overwrites its value, which /proc/PID/environ would otherwise still show.
// Call it before any thread starts.
void clinux_scrub_environment(const char *name);

// When the file's inode last changed: name, mode, owner (st_ctim, without following a link). Unix seconds, or -1 and errno.
int64_t clinux_changed_at(const char *path);

// Bracket code that must not allocate, lock or block: RealtimeSanitizer, if linked in, stops on a violation. Otherwise
// no-ops.
void clinux_realtime_enter(void);
void clinux_realtime_exit(void);

#ifdef __cplusplus
}
#endif
