// Programs that are started: what they inherit, and what they are kept from.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A pipe whose ends are closed on exec: 0, or -1 and errno.
int clinux_pipe(int ends[2]);

// Starts a program, sought in PATH when it is a bare name. It inherits descriptors 0, 1 and 2 alone: its standard output is
// `output` and its standard error `errors` (-1: nowhere), its input is empty; its signals are neither masked nor ignored.
//   environment  "NAME=value" each; NULL for our own
//   leads        whether it begins a session, and so a group of processes, of its own
// The process, or -1 and errno.
int32_t clinux_spawn(char *const arguments[], char *const environment[], int output, int errors, bool leads);
// Whether a child has ended and waits to be reaped, for which this is too early: its number stays its own.
bool clinux_has_ended(int32_t child);
// Has processes whose parent has ended become children of this one, not of process 1.
bool clinux_adopt_orphans(void);

// A program to run with reduced rights.
typedef struct clinux_confined {
    const char *path;
    char *const *argv;
    char *const *envp;
    int output;                   // becomes standard output
    int errors;                   // becomes standard error
    uint64_t memory;              // bytes of address space
    uint64_t cpu_seconds;         // of processor time, then it is killed
    const char *const *readable;  // files and folders that it may read and execute, up to a NULL; others are left out
    uint16_t port;                // of 127.0.0.1, the only one it may connect to; 0: it has no sockets
} clinux_confined;
// Starts it: no new privileges, no core, no file written, 64 descriptors, nice 5, signals at their defaults, no other
// descriptor of ours; killed when the calling thread ends. Standard input is empty. Where the kernel has Landlock and
// seccomp, the files it reads, the port it connects to and the system calls it makes are limited too; the port where
// `clinux_landlock_abi` is 4 or more. The id, or -1 and errno.
int32_t clinux_spawn_confined(const clinux_confined *program);

// The version of Landlock that this kernel offers (https://docs.kernel.org/userspace-api/landlock.html): 1 and more limit
// files, 4 and more TCP ports; 0 for none.
int clinux_landlock_abi(void);
// Whether system calls can be limited, on a processor whose filter is known here.
bool clinux_has_seccomp(void);

#ifdef __cplusplus
}
#endif
