internal import Glibc

/// The daemon's executable, beside this one.
enum Program {
    static let daemon: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/jarvis-voiced"
    }()
}
