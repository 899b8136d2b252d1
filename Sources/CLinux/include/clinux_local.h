// Local sockets (AF_UNIX), for which Swift would have to build C structures byte by byte.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A datagram socket (close-on-exec), or -1 and errno.
int clinux_local_datagram(void);
// Sends one datagram to a path ("@name" for an abstract address) without blocking: 0 or errno. With `fd` >= 0, sends an
// empty datagram that carries that descriptor.
int clinux_local_send(int socket, const char *path, const void *bytes, size_t count, int fd);
// Receives a datagram. The caller must close a descriptor that came with it; otherwise *fd is -1. Its size, or -1 and
// errno.
long clinux_local_receive(int socket, void *bytes, size_t capacity, int *fd);
// A sealed memory file that holds the bytes, or -1 and errno.
int clinux_sealed_memory(const char *name, const void *bytes, size_t count);

// A listening stream socket at a path with these permissions (close-on-exec, non-blocking), or -1 and errno. Replaces a
// stale socket at the path.
int clinux_local_listen(const char *path, uint32_t mode, int backlog);
// Accepts the next connection (close-on-exec, non-blocking), or returns -1 and errno.
int clinux_local_accept(int socket);
// A blocking stream to the path, or -1 and errno: EAGAIN if no one accepted it within five seconds.
int clinux_local_connect(const char *path);
// Identifies the peer; false if the kernel does not disclose it.
bool clinux_local_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);
// Supplementary groups of the peer: their number, at most `capacity`, or -1.
int clinux_local_peer_groups(int socket, uint32_t *groups, size_t capacity);

#ifdef __cplusplus
}
#endif
