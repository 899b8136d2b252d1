/// One small HTTP exchange: the request and its time limits. Its description omits the headers, since one of them may be a
/// token.
package struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    package var method: String
    /// http:// or https://
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var connectTimeout: Duration
    /// From the call to the last byte of the reply.
    package var totalTimeout: Duration
    package var maximumReplyBytes: Int
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?
    /// PEM files with this client's certificate and key, for servers that ask for one.
    package var certificateFile: String?
    /// False for a request that must not run twice. libcurl repeats a request sent on a reused connection that turns out to
    /// be dead, though the server may have read it. Such a request gets a connection of its own.
    package var mayRepeat: Bool
    /// Set if the request must not leave the local network unencrypted: connects to local addresses only, without a proxy.
    package var staysNear: Bool
    /// Accepts "ICY 200 OK", the status line of SHOUTcast radio servers, as HTTP.
    package var acceptsShoutcast: Bool
    /// Offers to receive the reply compressed with gzip or deflate, and unpacks it; for `NetworkThread.open` only. The bound
    /// of the reply applies to what arrives and to what comes out.
    package var decompresses: Bool
    /// Checked addresses of the host, to which it connects directly, without a proxy; nil to resolve its name.
    package var pin: Pin?

    /// The numeric addresses of a host, resolved earlier.
    package struct Pin: Sendable, Equatable {
        package var host: String
        package var port: Int
        package var addresses: [String]

        package init(host: String, port: Int, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }

        /// The form CURLOPT_RESOLVE expects; "+" makes the entry expire after a minute.
        var line: String {
            "+\(host):\(port):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        }
    }

    package init(
        method: String = "GET",
        url: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        connectTimeout: Duration = .seconds(10),
        totalTimeout: Duration = .seconds(60),
        maximumReplyBytes: Int = 4 << 20,
        caFile: String? = nil,
        certificateFile: String? = nil,
        mayRepeat: Bool = true,
        staysNear: Bool = false,
        acceptsShoutcast: Bool = false,
        decompresses: Bool = false,
        pin: Pin? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.maximumReplyBytes = maximumReplyBytes
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.mayRepeat = mayRepeat
        self.staysNear = staysNear
        self.acceptsShoutcast = acceptsShoutcast
        self.decompresses = decompresses
        self.pin = pin
    }

    package var description: String { "\(method) \(url), \(body.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: ["url": url, "bytes": body.count]) }
}

/// Valid contents of a header sent by this program (RFC 9110 sections 5.1 and 5.5).
package enum HeaderField {
    /// Neither name nor value can smuggle in a second line.
    static func isValid(_ header: (name: String, value: String)) -> Bool {
        isToken(header.name) && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }

    /// Whether it is a valid method or field name (RFC 9110 section 5.6.2).
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
