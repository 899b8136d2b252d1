#define _GNU_SOURCE
#include "clinux_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static bool make_address(const char *path, struct sockaddr_un *address, socklen_t *length) {
    size_t count = strlen(path);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (count == 0 || count >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address->sun_path, path, count);
    // The length of the address delimits an abstract name; a path ends with a zero byte.
    bool is_abstract = path[0] == '@';
    if (is_abstract) address->sun_path[0] = 0;
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (is_abstract ? 0 : 1));
    return true;
}

int clinux_local_datagram(void) {
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    // Large enough for a transcript or a long error; anything larger is sent as a memory file.
    int size = 1 << 20;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    return fd;
}

int clinux_local_send(int socket, const char *path, const void *bytes, size_t count, int fd) {
    struct sockaddr_un address;
    socklen_t length;
    if (!make_address(path, &address, &length)) return errno;
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_name = &address, .msg_namelen = length};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
    } else {
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
    }
    while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

long clinux_local_receive(int socket, void *bytes, size_t capacity, int *fd) {
    *fd = -1;
    struct iovec piece = {.iov_base = bytes, .iov_len = capacity};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = count < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(header), sizeof *fd);
    return count;
}

int clinux_sealed_memory(const char *name, const void *bytes, size_t count) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    const char *rest = bytes;
    while (count > 0) {
        ssize_t written = write(fd, rest, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) goto failed;
        rest += written;
        count -= (size_t)written;
    }
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) goto failed;
    return fd;
failed:;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int failed(int fd) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int clinux_local_listen(const char *path, uint32_t mode, int backlog) {
    struct sockaddr_un address;
    socklen_t length;
    if (!make_address(path, &address, &length)) return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    struct stat status;
    if (path[0] != '@' && lstat(path, &status) == 0) {
        if (!S_ISSOCK(status.st_mode)) {
            errno = EEXIST;
            return failed(fd);
        }
        // If a daemon answers, this would be a second daemon. EAGAIN means that its queue is full: it may be stopped, but
        // it exists.
        int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        bool lives =
            probe >= 0 && (connect(probe, (struct sockaddr *)&address, length) == 0 || errno == EAGAIN);
        if (probe >= 0) close(probe);
        if (lives) {
            errno = EADDRINUSE;
            return failed(fd);
        }
        unlink(path);
    }
    // Created with these permissions, less the umask, so that no one can connect before the final ones are set.
    if (fchmod(fd, S_IRUSR | S_IWUSR) < 0) return failed(fd);
    if (bind(fd, (struct sockaddr *)&address, length) < 0) return failed(fd);
    if (path[0] != '@' && chmod(path, (mode_t)mode) < 0) return failed(fd);
    if (listen(fd, backlog) < 0) return failed(fd);
    return fd;
}

int clinux_local_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int clinux_local_connect(const char *path) {
    struct sockaddr_un address;
    socklen_t length;
    if (!make_address(path, &address, &length)) return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    // If a server does not accept clients, its queue may stay full for ever.
    struct timeval patience = {.tv_sec = 5}, none = {0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    while (connect(fd, (struct sockaddr *)&address, length) < 0) {
        if (errno != EINTR) return failed(fd);
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    return fd;
}

bool clinux_local_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return false;
    *process = peer.pid;
    *user = peer.uid;
    *group = peer.gid;
    return true;
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int clinux_local_peer_groups(int socket, uint32_t *groups, size_t capacity) {
    socklen_t length = (socklen_t)(capacity * sizeof *groups);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0) return -1;
    return (int)(length / sizeof *groups);
}
