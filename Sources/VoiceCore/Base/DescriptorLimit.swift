internal import Glibc

/// The number of files and sockets that the daemon may have open. With too few, any part of the daemon could fail later.
package struct DescriptorLimit: Error, CustomStringConvertible {
    /// An idle daemon has about forty; clients of the control socket, connections and decoders come on top.
    package static let least = 128

    /// The hard limit of the process.
    package let most: Int

    package var description: String {
        "only \(most) files may be open at a time, and \(Self.least) are needed: raise the limit (ulimit -n, LimitNOFILE=)"
    }

    /// Raises the soft limit if it is too low.
    /// - Throws: if the hard limit is too low as well.
    package static func check() throws(DescriptorLimit) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < UInt(least) else {
            return
        }
        guard limit.rlim_max >= UInt(least) else { throw DescriptorLimit(most: Int(clamping: limit.rlim_max)) }
        limit.rlim_cur = min(limit.rlim_max, 1024)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
