// Starting programs: what they inherit, and how they are confined.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A pipe with close-on-exec on both ends: 0, or -1 and errno.
int clinux_pipe(int ends[2]);

// Starts a program, looked up in PATH if it is a bare name. It inherits only descriptors 0, 1 and 2: standard output is
// `output`, standard error is `errors` (-1: discarded), standard input is empty. Its signals are neither masked nor
// ignored.
//   environment  "NAME=value" each; NULL for our own
//   leads        whether it leads a session, and so a process group, of its own
// Returns the process ID, or -1 and errno.
int32_t clinux_spawn(char *const arguments[], char *const environment[], int output, int errors, bool leads);
// Whether a child has ended. Does not reap it, so its process ID is not reused. Also true if it is not a child (ECHILD).
bool clinux_has_ended(int32_t child);
// Makes orphaned descendants children of this process instead of process 1.
bool clinux_adopt_orphans(void);

// A program to run with reduced rights.
typedef struct clinux_confined {
    const char *path;
    char *const *argv;
    char *const *envp;
    int input;                    // becomes standard input; 0: that is empty
    int output;                   // becomes standard output
    int errors;                   // becomes standard error
    uint64_t memory;              // address space in bytes
    uint64_t cpu_seconds;         // processor time; killed beyond it
    const char *const *readable;  // files and folders it may read and execute, NULL-terminated; missing ones are skipped
    uint16_t port;                // the only port it may connect to, on 127.0.0.1; 0: no sockets
} clinux_confined;
// Starts the program with no new privileges, no core dump, no file writes, 64 descriptors, nice 5, default signal handling,
// a session of its own and none of our other descriptors. It is killed when the calling thread ends. If the kernel has
// Landlock and seccomp, the files it reads, the port it connects to and its system calls are limited too; the port if
// `clinux_landlock_abi` is 4 or more. Returns the process ID, or -1 and errno.
int32_t clinux_spawn_confined(const clinux_confined *program);

// The version of Landlock offered by this kernel (https://docs.kernel.org/userspace-api/landlock.html): 1 and up limit
// files, 4 and up TCP ports; 0 for none.
int clinux_landlock_abi(void);
// Whether system calls can be filtered, on a processor architecture supported here.
bool clinux_has_seccomp(void);

#ifdef __cplusplus
}
#endif
