internal import Glibc
internal import VoiceBase

/// The identity of this box in Home Assistant: a random name in a file, which counts only on the machine that made it.
/// Two boxes cloned from one image find the same file, and the box that did not make it makes another.
package struct HouseIdentity: Equatable, Sendable {
    /// 12 hexadecimal digits.
    package let name: String
    /// The marks by which the machine is recognised: addresses of its network cards.
    private let traces: Set<String>

    private static let fileName = "identity"

    /// - Parameters:
    ///   - folder: the bridge's state; the file is written there if it is new or has changed.
    ///   - traces: the marks of this machine; without any, the file counts.
    package init(
        folder: String,
        traces: Set<String> = Self.traces(),
        random: inout some RandomNumberGenerator
    ) throws(BridgeConfiguration.Problem) {
        let path = "\(folder)/\(Self.fileName)"
        var known: HouseIdentity?
        do throws(FileReader.Fault) {
            known = Self(
                parsing: String(decoding: try FileReader.withoutForeignLinks.read(path, 4096).bytes, as: UTF8.self)
            )
        } catch {
            guard error == .absent else { throw .init("\(path): \(error)") }
        }
        if let known, traces.isEmpty || known.traces.isEmpty || !known.traces.isDisjoint(with: traces) {
            // A card that was added or removed does not make it another machine.
            self.init(name: known.name, traces: known.traces.union(traces.isEmpty ? [] : traces))
        } else {
            let digits = Array("0123456789abcdef")
            let name = (0..<12).map { _ in digits[Int.random(in: digits.indices, using: &random)] }
            self.init(name: String(name), traces: traces)
        }
        guard self != known else { return }
        do {
            try StateFile.write(Array(([name] + traces.sorted()).joined(separator: "\n").utf8) + [0x0A], to: path)
        } catch {
            throw .init("\(error); name another folder with --state")
        }
    }

    private init(name: String, traces: Set<String>) {
        self.name = name
        // Bounded, because adapters may be plugged in and out.
        self.traces = Set(traces.sorted().prefix(32))
    }

    private init?(parsing text: String) {
        let lines = text.split(separator: "\n").map(String.init)
        guard let name = lines.first, name.utf8.count == 12, name.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        self.init(name: name, traces: Set(lines.dropFirst()))
    }

    /// The addresses of this machine's network cards. Those of bridges, tunnels and containers are made up, and so are
    /// those of a wireless card that hides its own.
    package static func traces(in folder: String = "/sys/class/net") -> Set<String> {
        Set(
            Folder.names(in: folder).compactMap { card in
                guard access("\(folder)/\(card)/device", F_OK) == 0,
                    let bytes = try? FileReader.system.read("\(folder)/\(card)/address", 64).bytes
                else { return nil }
                let address = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
                guard address.utf8.count == 17, let first = UInt8(address.prefix(2), radix: 16), first & 1 == 0,
                    address.contains(where: { $0 != "0" && $0 != ":" })
                else { return nil }
                let isMadeUp = first & 2 != 0 && access("\(folder)/\(card)/phy80211", F_OK) == 0
                return isMadeUp ? nil : address
            }
        )
    }
}
