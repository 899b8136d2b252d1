internal import Glibc
internal import VoiceBase

/// Finds the program that has a card's device open: from the kernel's public state of sound cards, or else from the open
/// files of processes.
struct DeviceHolder {
    /// Folders of the device files and of the kernel's state of the cards.
    var devices = "/dev/snd"
    var cards = "/proc/asound"

    /// Returns "name (pid)" of the first other process that has the device open, if this user may see it.
    func find(device: String, direction: AudioDirection) -> String? {
        let name = KernelDeviceName(device)
        let owners = owners(of: name, direction)
        let known = owners.first { $0.subdevice == name.subdevice || name.subdevice == nil }?.process
        // A device file covers all subdevices; a known owner of another subdevice does not hold this one.
        let process = known ?? opener(of: name, direction, except: Set(owners.map(\.process)))
        return process.map { "\(command($0)) (\($0))" }
    }

    /// Reads cardN/pcmDc/subS/status, where `owner_pid` is the thread that opened it. Threads that have ended are skipped.
    private func owners(of name: KernelDeviceName, _ direction: AudioDirection) -> [(subdevice: Int?, process: Int32)] {
        let suffix = direction == .capture ? "c" : "p"
        var found: [(subdevice: Int?, process: Int32)] = []
        for card in entries(of: cards, name.card.map { "card\($0)" }, prefix: "card") {
            for device in entries(of: "\(cards)/\(card)", name.device.map { "pcm\($0)\(suffix)" }, prefix: "pcm")
            where device.hasSuffix(suffix) {
                let folder = "\(cards)/\(card)/\(device)"
                for subdevice in entries(of: folder, nil, prefix: "sub") {
                    guard let thread = field("owner_pid", of: "\(folder)/\(subdevice)/status"),
                        let process = field("Tgid", of: "/proc/\(thread)/status"), process != getpid()
                    else { continue }
                    found.append((Int(subdevice.dropFirst(3)), process))
                }
            }
        }
        return found
    }

    private func opener(of name: KernelDeviceName, _ direction: AudioDirection, except: Set<Int32>) -> Int32? {
        let suffix = direction == .capture ? "c" : "p"
        let prefix = devices + "/pcm" + (name.card.map { "C\($0)D" } ?? "")
        let own = getpid()
        for process in Folder.names(in: "/proc").compactMap({ Int32($0) }).sorted() {
            guard process != own, !except.contains(process) else { continue }
            let folder = "/proc/\(process)/fd"
            for file in Folder.names(in: folder) {
                guard let target = link("\(folder)/\(file)") else { continue }
                if target.hasPrefix(prefix) && target.hasSuffix(suffix) { return process }
            }
        }
        return nil
    }

    private func entries(of folder: String, _ only: String?, prefix: String) -> [String] {
        only.map { [$0] } ?? Folder.names(in: folder).filter { $0.hasPrefix(prefix) }
    }

    private func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(path, base, 256)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
    }

    private func command(_ process: Int32) -> String {
        text(of: "/proc/\(process)/comm").map { String($0.prefix { $0 != "\n" }) } ?? "a program"
    }

    /// Returns the number after "NAME:" in a file of lines.
    private func field(_ name: String, of path: String) -> Int32? {
        guard let line = text(of: path)?.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let value = line.split(whereSeparator: { ":\t ".contains($0) }).last
        else { return nil }
        return Int32(value)
    }

    private func text(of path: String) -> String? {
        (try? FileReader.system.read(path, 64 << 10)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
