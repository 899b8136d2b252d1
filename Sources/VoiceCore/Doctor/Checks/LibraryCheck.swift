internal import CCurl

/// Whether libcurl can do what is needed. WebSockets are the daemon's own, so that https is enough.
enum LibraryCheck {
    static func findings() -> [DoctorFinding] {
        guard let info = curl_version_info(CURLVERSION_FIRST) else { return [] }
        var protocols: [String] = []
        if var name = info.pointee.protocols {
            while let text = name.pointee {
                protocols.append(String(cString: text))
                name += 1
            }
        }
        return [judge(version: version, protocols: protocols)]
    }

    /// "libcurl/7.88.1 OpenSSL/3.0.15 ..."
    static var version: String { curl_version().map { String(cString: $0) } ?? "libcurl" }

    static func judge(version: String, protocols: [String]) -> DoctorFinding {
        guard protocols.contains("https") else {
            return DoctorFinding(
                "libcurl",
                .fail,
                "\(version.prefix { $0 != " " }) has no TLS",
                advice: "install the libcurl of the distribution (libcurl4 or libcurl4t64)"
            )
        }
        return DoctorFinding("libcurl", .ok, version.split(separator: " ").prefix(2).joined(separator: ", "))
    }
}
