// A plugin of QEMU 7.2's user mode, for scripts/bench-arm64: counts the instructions that each thread executes.
//   qemu-aarch64 -plugin count_instructions.so,counters=PATH PROGRAM
// PATH holds a `struct counter` for each thread that has run, which may be read at any time.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// From QEMU's qemu-plugin.h, which Debian 12 does not package.
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { PLUGIN_INTERFACE = 1, WITHOUT_REGISTERS = 0 };
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block, void (*)(unsigned processor, void *), int registers, void *);

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_INTERFACE;

// Each in a cache line of its own, and written by one thread alone: a shared counter would lose what two threads add.
struct counter {
    uint64_t thread;
    uint64_t instructions;
    uint64_t unused[6];
};
enum { MOST_THREADS = 1024 };
static struct counter *counters;

// In user mode, each thread has a processor of its own, whose number a later thread may get again.
static void executed(unsigned processor, void *instructions) {
    struct counter *counter = &counters[processor % MOST_THREADS];
    if (counter->thread == 0) counter->thread = (uint64_t)gettid();
    counter->instructions += (uintptr_t)instructions;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_cb(
        block, executed, WITHOUT_REGISTERS, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

__attribute__((visibility("default"))) int qemu_plugin_install(
    qemu_plugin_id_t id, const void *info, int count, char **arguments) {
    const size_t size = MOST_THREADS * sizeof(struct counter);
    if (count != 1 || strncmp(arguments[0], "counters=", 9) != 0) return -1;
    int file = open(arguments[0] + 9, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) return -1;
    counters = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (counters == MAP_FAILED) return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
