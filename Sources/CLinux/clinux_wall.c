#define _GNU_SOURCE
#include "clinux_wall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock constants of our own: the headers of Debian 12 know only its first two versions. The numbers are the same on all
// architectures.
#define CALL_CREATE_RULESET 444
#define CALL_ADD_RULE 445
#define CALL_RESTRICT_SELF 446
#define QUERY_VERSION 1u

enum {
    FILE_EXECUTE = 1 << 0,
    FILE_WRITE = 1 << 1,
    FILE_READ = 1 << 2,
    FOLDER_READ = 1 << 3,
    ALL_OF_VERSION_1 = (1 << 13) - 1,
    FILE_REFER = 1 << 13,
    FILE_TRUNCATE = 1 << 14,
    DEVICE_CONTROL = 1 << 15,
    PORT_BIND = 1 << 0,
    PORT_CONNECT = 1 << 1,
    ABSTRACT_SOCKETS = 1 << 0,
    SIGNALS = 1 << 1,
    RULE_PATH = 1,
    RULE_PORT = 2,
};

struct rules {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

struct path_rule {
    uint64_t allowed;
    int32_t file;
} __attribute__((packed));

struct port_rule {
    uint64_t allowed;
    uint64_t port;
};

int clinux_landlock_abi(void) {
    long version = syscall(CALL_CREATE_RULESET, NULL, 0, QUERY_VERSION);
    return version > 0 ? (int)version : 0;
}

static void allow_path(int rules, const char *path, uint64_t access) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0) {
        if (!S_ISDIR(status.st_mode)) access &= FILE_EXECUTE | FILE_WRITE | FILE_READ;
        struct path_rule rule = {.allowed = access, .file = file};
        (void)syscall(CALL_ADD_RULE, rules, RULE_PATH, &rule, 0u);
    }
    close(file);
}

int clinux_wall_rules(const clinux_confined *program) {
    int version = clinux_landlock_abi();
    if (version < 1) return -1;
    struct rules handled = {.files = ALL_OF_VERSION_1};
    size_t size = sizeof handled.files;
    if (version >= 2) handled.files |= FILE_REFER;
    if (version >= 3) handled.files |= FILE_TRUNCATE;
    if (version >= 5) handled.files |= DEVICE_CONTROL;
    if (version >= 4) {
        handled.ports = PORT_BIND | PORT_CONNECT;
        size += sizeof handled.ports;
    }
    if (version >= 6) {
        handled.scopes = ABSTRACT_SOCKETS | SIGNALS;
        size += sizeof handled.scopes;
    }
    int rules = (int)syscall(CALL_CREATE_RULESET, &handled, size, 0u);
    if (rules < 0) return -1;
    for (const char *const *path = program->readable; path && *path; path++) {
        allow_path(rules, *path, FILE_EXECUTE | FILE_READ | FOLDER_READ);
    }
    allow_path(rules, "/dev/null", FILE_READ | FILE_WRITE);
    if (version >= 4 && program->port) {
        struct port_rule rule = {.allowed = PORT_CONNECT, .port = program->port};
        (void)syscall(CALL_ADD_RULE, rules, RULE_PORT, &rule, 0u);
    }
    return rules;
}

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

bool clinux_has_seccomp(void) {
#ifdef OUR_ARCHITECTURE
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    return false;
#endif
}

#ifdef OUR_ARCHITECTURE

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
// The lower half of an argument, which is all the calls below use.
#define ARGUMENT(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0)
#define SKIP_UNLESS_ANY(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count)
#define NEVER(number) SKIP_UNLESS(number, 1), REFUSE

#define NEW_NAMESPACES 0x7E020000u
// MSG_FASTOPEN connects without a connect call, and so bypasses the check.
#define FAST_OPEN 0x20000000u
#define TRANSPORT_TCP 6
#define KIND_OF_SOCKET 0xFu

#define BEGINNING                                                                                                    \
    FIELD(arch), SKIP_IF(OUR_ARCHITECTURE, 1), ANSWER(SECCOMP_RET_KILL_PROCESS), FIELD(nr),                          \
        /* System calls of the x32 ABI have this bit. */                                                             \
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1), REFUSE,                                              \
        /* The C library falls back to clone, whose flags the filter can see. */                                     \
        SKIP_UNLESS(SYS_clone3, 1), ANSWER(SECCOMP_RET_ERRNO | ENOSYS),                                              \
        SKIP_UNLESS(SYS_clone, 4), ARGUMENT(0), SKIP_UNLESS_ANY(NEW_NAMESPACES, 1), REFUSE, ALLOW,                   \
        NEVER(SYS_unshare), NEVER(SYS_setns), NEVER(SYS_mount), NEVER(SYS_umount2), NEVER(SYS_pivot_root),           \
        NEVER(SYS_chroot), NEVER(SYS_ptrace), NEVER(SYS_process_vm_readv), NEVER(SYS_process_vm_writev),             \
        NEVER(SYS_kcmp), NEVER(SYS_kill), NEVER(SYS_tkill), NEVER(SYS_rt_sigqueueinfo), NEVER(SYS_pidfd_open),       \
        NEVER(SYS_pidfd_getfd), NEVER(SYS_pidfd_send_signal), NEVER(SYS_process_madvise), NEVER(SYS_bpf),            \
        NEVER(SYS_perf_event_open), NEVER(SYS_userfaultfd), NEVER(SYS_io_uring_setup), NEVER(SYS_io_uring_enter),    \
        NEVER(SYS_io_uring_register), NEVER(SYS_add_key), NEVER(SYS_request_key), NEVER(SYS_keyctl),                 \
        NEVER(SYS_open_by_handle_at), NEVER(SYS_init_module), NEVER(SYS_finit_module), NEVER(SYS_delete_module),     \
        NEVER(SYS_kexec_load), NEVER(SYS_reboot), NEVER(SYS_swapon), NEVER(SYS_syslog), NEVER(SYS_quotactl),         \
        NEVER(SYS_acct), NEVER(SYS_bind), NEVER(SYS_listen), NEVER(SYS_accept), NEVER(SYS_accept4)

// With one port allowed: only IPv4 and TCP; other sockets, such as AF_UNIX, would bypass Landlock.
static struct sock_filter one_port[] = {
    BEGINNING,
    SKIP_UNLESS(SYS_socket, 10), ARGUMENT(0), SKIP_UNLESS(AF_INET, 7), ARGUMENT(1),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, KIND_OF_SOCKET), SKIP_UNLESS(SOCK_STREAM, 4), ARGUMENT(2), SKIP_IF(0, 1),
    SKIP_UNLESS(TRANSPORT_TCP, 1), ALLOW, REFUSE,
    SKIP_UNLESS(SYS_sendto, 4), ARGUMENT(3), SKIP_UNLESS_ANY(FAST_OPEN, 1), REFUSE, ALLOW,
    SKIP_UNLESS(SYS_sendmsg, 4), ARGUMENT(2), SKIP_UNLESS_ANY(FAST_OPEN, 1), REFUSE, ALLOW,
    SKIP_UNLESS(SYS_sendmmsg, 4), ARGUMENT(3), SKIP_UNLESS_ANY(FAST_OPEN, 1), REFUSE, ALLOW,
    ALLOW,
};

static struct sock_filter no_sockets[] = {BEGINNING, NEVER(SYS_socket), NEVER(SYS_connect), ALLOW};

static int limit_calls(bool has_sockets) {
    struct sock_fprog with = {.len = sizeof one_port / sizeof *one_port, .filter = one_port};
    struct sock_fprog without = {.len = sizeof no_sockets / sizeof *no_sockets, .filter = no_sockets};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, has_sockets ? &with : &without) == 0 ? 0 : errno;
}

#else
static int limit_calls(bool has_sockets) { (void)has_sockets; return 0; }
#endif

int clinux_wall_raise(int rules, bool has_sockets) {
    if (rules >= 0 && syscall(CALL_RESTRICT_SELF, rules, 0u) != 0) return errno;
    return clinux_has_seccomp() ? limit_calls(has_sockets) : 0;
}
