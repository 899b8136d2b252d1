// Sockets of the local machine (AF_UNIX), where Swift would have to build C structures byte by byte.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A datagram socket (close on exec), or -1 and errno.
int clinux_local_datagram(void);
// Sends one datagram to a path, "@name" for an abstract address, without waiting: 0 or errno. An empty one with `fd` >= 0
// carries that descriptor.
int clinux_local_send(int socket, const char *path, const void *bytes, size_t count, int fd);
// The next datagram; a descriptor that came with it is the caller's to close, else *fd is -1. Its size, or -1 and errno.
long clinux_local_receive(int socket, void *bytes, size_t capacity, int *fd);
// A sealed file in memory that holds the bytes, or -1 and errno.
int clinux_sealed_memory(const char *name, const void *bytes, size_t count);

// A stream socket that listens at a path with these permissions (close on exec, non-blocking), or -1 and errno. What was
// left at the path by one that is gone is replaced.
int clinux_local_listen(const char *path, uint32_t mode, int backlog);
// The next connection (close on exec, non-blocking), or -1 and errno.
int clinux_local_accept(int socket);
// A blocking stream to the path, or -1 and errno: EAGAIN where nobody took it within five seconds.
int clinux_local_connect(const char *path);
// Who is at the other end; false where the kernel does not say.
bool clinux_local_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);
// Supplementary groups of whom is at the other end: their number, at most `capacity`, or -1.
int clinux_local_peer_groups(int socket, uint32_t *groups, size_t capacity);

#ifdef __cplusplus
}
#endif
