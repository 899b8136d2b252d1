#define _GNU_SOURCE
#include "clinux_child.h"
#include "clinux_wall.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

static void lead_to(posix_spawn_file_actions_t *actions, int file, int standard) {
    if (file >= 0) {
        posix_spawn_file_actions_adddup2(actions, file, standard);
    } else {
        posix_spawn_file_actions_addopen(actions, standard, "/dev/null", O_WRONLY, 0);
    }
}

pid_t clinux_spawn(char *const arguments[], char *const environment[], int output, int errors, bool leads) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    lead_to(&actions, output, STDOUT_FILENO);
    lead_to(&actions, errors, STDERR_FILENO);
    // Closes what a library has opened without close-on-exec, for instance the sockets of libcurl.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leads ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(&attributes, (short)flags);
    pid_t process = -1;
    int error =
        posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environment ? environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (!error) return process;
    errno = error;
    return -1;
}

bool clinux_has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid == child
                                                                               : errno == ECHILD;
}

bool clinux_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0; }

static void limit(int what, uint64_t value) {
    struct rlimit wanted = {.rlim_cur = value, .rlim_max = value};
    setrlimit(what, &wanted);
}

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static void close_from(unsigned first) {
    if (syscall(SYS_close_range, first, ~0u, 0u) == 0) return;
    // For an old kernel, or a container that does not know the call.
    struct rlimit most;
    unsigned end = getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < 65536 ? (unsigned)most.rlim_cur : 65536;
    for (unsigned file = first; file < end; file++) close((int)file);
}

// Runs in the child, which shares our memory until it executes the program, so it may only make system calls.
static void confine_and_run(const clinux_confined *program, int rules, pid_t parent, volatile int *failure) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < 65; number++) sigaction(number, &standard, NULL);
    int input = program->input ? program->input : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input < 0 || dup2(input, 0) < 0 || dup2(program->output, 1) < 0 || dup2(program->errors, 2) < 0) goto failed;
    limit(RLIMIT_AS, program->memory);
    limit(RLIMIT_CPU, program->cpu_seconds);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    setpriority(PRIO_PROCESS, 0, 5);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) goto failed;
    if (getppid() != parent) _exit(127);
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int refused = clinux_wall_raise(rules, program->port != 0);
    if (refused) {
        errno = refused;
        goto failed;
    }
    close_from(3);
    limit(RLIMIT_NOFILE, 64);
    execve(program->path, program->argv, program->envp);
failed:
    *failure = errno;
    _exit(127);
}

pid_t clinux_spawn_confined(const clinux_confined *program) {
    volatile int failure = 0;
    int rules = clinux_wall_rules(program);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // none of our handlers may run in the child
    pid_t parent = getpid();
    pid_t child = vfork();
    if (child == 0) confine_and_run(program, rules, parent, &failure);
    int error = child < 0 ? errno : failure;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rules >= 0) close(rules);
    if (!error) return child;
    if (child > 0) waitpid(child, NULL, 0);
    errno = error;
    return -1;
}
