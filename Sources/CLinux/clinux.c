#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <linux/input.h>
#include <time.h>
#include <unistd.h>

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void clinux_eventfd_signal(int fd) {
    uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof one);
    (void)written;  // a full counter is a signal too
}

bool clinux_eventfd_take(int fd) {
    uint64_t count = 0;
    return read(fd, &count, sizeof count) == (ssize_t)sizeof count;
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clinux_monotonic_ns(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t clinux_boottime_ns(void) { return nanoseconds(CLOCK_BOOTTIME); }

int64_t clinux_built(void) {
    struct tm date = {0};
    return strptime(__DATE__, "%b %d %Y", &date) ? (int64_t)timegm(&date) : 0;
}

void clinux_sleep_until_ns(uint64_t instant) {
    struct timespec until = {.tv_sec = (time_t)(instant / 1000000000u), .tv_nsec = (long)(instant % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

struct clinux_thread {
    pthread_t id;
    clinux_thread_main run;
    void *context;
    int priority;
};

// A thread attribute cannot set SCHED_RESET_ON_FORK, so the thread sets it itself: its children must not be real-time.
static void *run_realtime(void *argument) {
    clinux_thread *thread = argument;
    struct sched_param wanted = {.sched_priority = thread->priority};
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted);
    return thread->run(thread->context);
}

static int start(pthread_t *id, int priority, clinux_thread_main run, void *context) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    if (priority > 0) {
        struct sched_param wanted = {.sched_priority = priority};
        pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
        pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
        pthread_attr_setschedparam(&attributes, &wanted);
    }
    int error = pthread_create(id, &attributes, run, context);
    pthread_attr_destroy(&attributes);
    return error;
}

clinux_thread *clinux_thread_start(const char *name, int priority, clinux_thread_main run, void *context,
                                   int *realtime_errno) {
    clinux_thread *thread = malloc(sizeof *thread);
    if (!thread) return NULL;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits the mask
    *realtime_errno = 0;
    *thread = (clinux_thread){.run = run, .context = context, .priority = priority};
    int error = priority > 0 ? start(&thread->id, priority, run_realtime, thread) : start(&thread->id, 0, run, context);
    if (error && priority > 0) {
        *realtime_errno = error;
        error = start(&thread->id, 0, run, context);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        free(thread);
        errno = error;
        return NULL;
    }
    pthread_setname_np(thread->id, name);
    return thread;
}

void clinux_thread_join(clinux_thread *thread) {
    pthread_join(thread->id, NULL);
    free(thread);
}

void clinux_thread_detach(clinux_thread *thread) {
    pthread_detach(thread->id);
    free(thread);
}

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

static bool may_lock_all(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        if (limit.rlim_max == RLIM_INFINITY && setrlimit(RLIMIT_MEMLOCK, &limit) == 0) return true;
    }
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2] = {0};
    return syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective & (1u << CAP_IPC_LOCK));
}

int clinux_lock_memory(void) {
    if (!may_lock_all()) return EPERM;
    return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno;
}

static volatile sig_atomic_t noted[65];

static void note_signal(int number) { noted[number] = 1; }

void clinux_note_signals(const int *signals, int count) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    for (int index = 0; index < count; index++) sigaction(signals[index], &action, NULL);
}

bool clinux_take_noted(int number) {
    bool was_noted = noted[number];
    noted[number] = 0;
    return was_noted;
}

static char last_words[64];
static struct termios terminal;
static volatile bool has_terminal;

static void restore_terminal(int number) {
    ssize_t written = write(STDOUT_FILENO, last_words, strlen(last_words));
    (void)written;
    if (has_terminal) tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    raise(number);
}

void clinux_restore_terminal_on_crash(const char *text) {
    snprintf(last_words, sizeof last_words, "%s", text);
    has_terminal = tcgetattr(STDIN_FILENO, &terminal) == 0;
    // The second time, the signal does what it does by default.
    struct sigaction action = {.sa_handler = restore_terminal, .sa_flags = SA_RESETHAND | SA_NODEFER};
    for (const char *number = (const char[]){SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, 0}; *number; number++)
        sigaction(*number, &action, NULL);
}

int clinux_wait_readable(int fd, int milliseconds) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    return poll(&wanted, 1, milliseconds);
}

bool clinux_forbid_inspection(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

void clinux_scrub_environment(const char *name) {
    char *value = getenv(name);
    if (value) explicit_bzero(value, strlen(value));
    unsetenv(name);
}

__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);

void clinux_realtime_enter(void) {
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

void clinux_realtime_exit(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

int clinux_read_key(int fd, int milliseconds, int *code, int *value) {
    int ready = clinux_wait_readable(fd, milliseconds);
    if (ready <= 0) return ready < 0 && errno != EINTR ? -1 : 0;
    struct input_event event;
    ssize_t count = read(fd, &event, sizeof event);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (count != (ssize_t)sizeof event) return -1;
    if (event.type != EV_KEY) return 0;
    *code = event.code;
    *value = event.value;
    return 1;
}

int64_t clinux_changed_at(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? (int64_t)status.st_ctim.tv_sec : -1;
}
