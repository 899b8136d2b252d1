internal import Glibc

/// Reads the reports of the services' process without blocking.
struct ServiceFeed {
    /// Samples that the service has received in this session, and number of sessions so far.
    private(set) var received = 0
    private(set) var sessions = 0
    private(set) var isConnected = false
    /// Number of speech starts since the last `takeStarts`.
    private var starts = 0
    private(set) var errors: [String] = []
    private(set) var isOver = false

    private let descriptor: Int32
    private var rest: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    mutating func takeStarts() -> Int {
        defer { starts = 0 }
        return starts
    }

    /// Reads what is available, after waiting at most so many milliseconds for the first byte.
    mutating func read(waiting milliseconds: Int32 = 0) {
        if milliseconds > 0 {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wanted, 1, milliseconds)
        }
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { isOver = true }
            guard count > 0 else { return }
            for byte in buffer[0..<count] {
                if byte == UInt8(ascii: "\n") {
                    receive(rest)
                    rest.removeAll(keepingCapacity: true)
                } else if rest.count < 1024 {
                    rest.append(byte)
                }
            }
        }
    }

    private mutating func receive(_ line: [UInt8]) {
        let text = String(decoding: line.dropFirst(2), as: UTF8.self)
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        switch line.first {
        // The end of a session and the beginning of the next overlap: the current one is the one that receives audio.
        case UInt8(ascii: "a"):
            guard numbers.count == 2, numbers[0] >= sessions else { return }
            if numbers[0] > sessions { begin(numbers[0]) }
            received += numbers[1]
        case UInt8(ascii: "s"): starts += 1
        case UInt8(ascii: "c"): if !isConnected, let number = numbers.first { begin(number) }
        case UInt8(ascii: "d"): if numbers.first == sessions { isConnected = false }
        case UInt8(ascii: "e"):
            // The end of a session is intended.
            if !text.hasPrefix("session_expired"), errors.count < 100 { errors.append(text) }
        default: break
        }
    }

    private mutating func begin(_ session: Int) {
        sessions = session
        received = 0
        isConnected = true
    }
}
