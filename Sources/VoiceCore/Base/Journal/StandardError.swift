import Glibc

/// Text for standard error, for whoever may wait until it is taken.
package enum StandardError {
    /// One write(2) where the reader keeps up.
    package static func write(_ text: String, to descriptor: Int32 = STDERR_FILENO) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                // Somebody who shares the descriptor has made it non-blocking.
                if count < 0 && errno == EAGAIN {
                    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&polled, 1, -1)
                    continue
                }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
