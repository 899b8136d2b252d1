internal import CCurl
internal import Glibc

/// The name of this machine.
package enum HostName {
    /// Without its domain; empty where it has none.
    package static let current: String = {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    }()
}

/// Names of hosts with letters outside of ASCII, "b\u{FC}cher.example", as the name service knows them (RFC 5891).
package enum InternationalHost {
    /// A name has 253 bytes at most in ASCII; each of its letters may have been four.
    private static let longest = 1024

    /// "xn--bcher-kva.example"; nil where it is no name of a host, or libcurl was built without this.
    package static func ascii(_ host: some StringProtocol) -> String? {
        guard host.utf8.count <= longest, host.unicodeScalars.allSatisfy(mayStand),
            let name = ccurl_ascii_host("https://\(host)/")
        else { return nil }
        defer { curl_free(name) }
        let ascii = String(cString: name)
        return !ascii.isEmpty && ascii.utf8.count <= 253 && ascii.utf8.allSatisfy({ $0 < 0x80 })
            ? ascii.lowercased() : nil
    }

    /// Nothing that would end the host within an address. Marks are letters that were written in two parts.
    private static func mayStand(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-._".unicodeScalars.contains(scalar)
        }
        return scalar.isOfWord
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter or a digit of any script, or a mark of one.
    package var isOfWord: Bool {
        if properties.isAlphabetic || properties.numericType != nil { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }
}

/// What an address says before it is read as a URL.
package enum AddressText {
    /// The address as it may be asked for: a fragment is the reader's own matter (RFC 3986 section 3.5).
    package static func withoutFragment(_ text: String) -> String { String(text.prefix { $0 != "#" }) }

    /// The path of a file, given as such or as file://; nil for anything else.
    package static func filePath(_ text: String) -> String? {
        if text.hasPrefix("file://") { return String(text.dropFirst(7)) }
        return text.hasPrefix("/") ? text : nil
    }
}
