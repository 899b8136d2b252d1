internal import CCurl

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
