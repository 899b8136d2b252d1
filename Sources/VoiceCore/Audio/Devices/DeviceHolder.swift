internal import CAlsa
internal import Glibc

/// Finds the program that keeps a card's device open, from /proc/PID/fd.
enum DeviceHolder {
    /// "name (pid)" of the first other process that has the kernel device open, if this user may see it.
    ///
    /// - Parameter devices: where the kernel's devices are.
    static func find(device: String, direction: AudioDirection, devices: String = "/dev/snd") -> String? {
        let suffix = direction == .capture ? "c" : "p"
        let prefix = devices + "/pcm" + (cardIndex(of: device).map { "C\($0)D" } ?? "")
        let own = getpid()
        for name in entries(of: "/proc") {
            guard let process = Int32(name), process != own else { continue }
            let folder = "/proc/\(process)/fd"
            for file in entries(of: folder) {
                guard let target = link("\(folder)/\(file)") else { continue }
                if target.hasPrefix(prefix) && target.hasSuffix(suffix) {
                    return "\(command(process)) (\(process))"
                }
            }
        }
        return nil
    }

    /// The number of the card in "hw:1,0", "plughw:CARD=PCH,DEV=0", ...; nil for names without one.
    static func cardIndex(of device: String) -> Int32? {
        guard let colon = device.firstIndex(of: ":") else { return nil }
        var card = device[device.index(after: colon)...].prefix { $0 != "," }
        if card.hasPrefix("CARD=") { card = card.dropFirst(5) }
        let index = snd_card_get_index(String(card))
        return index < 0 ? nil : index
    }

    private static func entries(of folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    private static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(path, base, 256)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
    }

    private static func command(_ process: Int32) -> String {
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "a program" }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            let count = read(file, buffer.baseAddress, 64)
            return String(decoding: buffer.prefix { $0 != 10 }.prefix(max(0, count)), as: UTF8.self)
        }
    }
}
