package import VoiceBase
package import VoiceNetwork
internal import VoiceSession

/// How confidential data travels to a service, and whether it may: for `config check` and the doctor.
///
/// A preview: the daemon itself judges the address of every connection it makes.
package struct ServiceTransport: Equatable, Sendable {
    /// "realtime.url" or "jarvis.url", for example.
    package let key: String
    package let host: String
    /// The content of the connection, as the subject of a sentence.
    package let load: String
    package let verdict: TransportVerdict

    /// A setting that allows it for the agent of the box also allows it for the agents of wake words.
    private var section: String {
        let name = String(key.prefix { $0 != "." })
        return name == Configuration.Word.name ? "jarvis" : name
    }
    /// Names the setting that allows this, for the sections that have it.
    private func permission(_ words: String) -> String {
        ["realtime", "jarvis"].contains(section) ? "\(words)\(section).allow_plain_http = true" : ""
    }
    private var encrypted: String { section == "jarvis" ? "https://" : "wss://" }

    /// Covers the usable voice services, and the agent if there is a token or a file for one. Resolves host names,
    /// which takes seconds in the worst case.
    package static func look(
        _ configuration: Configuration,
        secrets: Secrets,
        ownLinks: [NetworkPrefix]? = nil,
        lookUp: @escaping @Sendable (String) -> [NetworkAddress] = Self.system
    ) async -> [ServiceTransport] {
        let links = ownLinks ?? NetworkPrefix.ownLinks()
        var found: [ServiceTransport] = []
        let usable = ServiceRegistry.usable(by: configuration, secrets: secrets)
        for kind in usable.isEmpty ? [ServiceRegistry.chosen(by: configuration)] : usable {
            guard let address = kind.address(configuration), let base = ServerURL(address.url) else { continue }
            let addresses = await Self.addresses(base, lookUp)
            let hasKey = secrets.key(kind.key).secret != nil
            found.append(voice(address, base, hasKey: hasKey, addresses: addresses, ownLinks: links))
        }
        let hasToken = secrets.jarvisToken.secret != nil || !configuration.jarvis.tokenFile.isEmpty
        if hasToken, let base = ServerURL(configuration.jarvis.url) {
            let verdict = TransportVerdict.judge(
                isEncrypted: base.scheme == "https", allowsPlain: configuration.jarvis.allowPlainHTTP,
                addresses: await Self.addresses(base, lookUp), ownLinks: links
            )
            found.append(ServiceTransport(key: "jarvis.url", host: base.host, load: "the token", verdict: verdict))
        }
        for assistant in configuration.assistants where assistant.hasOwnToken {
            guard let base = ServerURL(assistant.configuration.jarvis.url) else { continue }
            let verdict = TransportVerdict.judge(
                isEncrypted: base.scheme == "https", allowsPlain: configuration.jarvis.allowPlainHTTP,
                addresses: await Self.addresses(base, lookUp), ownLinks: links
            )
            let key = assistant.table + ".url"
            found.append(ServiceTransport(key: key, host: base.host, load: "the token", verdict: verdict))
        }
        return found
    }

    static func voice(
        _ address: ServiceAddress,
        _ base: ServerURL,
        hasKey: Bool,
        addresses: [NetworkAddress],
        ownLinks: [NetworkPrefix]? = nil
    ) -> ServiceTransport {
        let verdict = TransportVerdict.judge(
            isEncrypted: base.scheme == "wss", allowsPlain: address.allowsPlain, addresses: addresses,
            ownLinks: ownLinks ?? NetworkPrefix.ownLinks()
        )
        let load = hasKey ? "the API key" : "what is heard"
        return ServiceTransport(key: address.key, host: base.host, load: load, verdict: verdict)
    }

    /// The address in a URL; empty if the host is a name.
    static func literal(_ base: ServerURL) -> [NetworkAddress] { NetworkAddress(text: base.host).map { [$0] } ?? [] }

    /// nil over TLS, when there is nothing to report.
    package var line: String? {
        switch verdict {
        case .encrypted: nil
        case .allowed: "\(load) is sent to \(host) unencrypted, as allowed by \(section).allow_plain_http"
        case .near(let address, let nearness):
            "\(load) is sent unencrypted, within this network: \(place(address, " is ")) (\(nearness.rawValue))"
        case .unresolved:
            "\(host) cannot be resolved now; \(load) will be sent to it unencrypted only if its address is in this "
                + "network"
        case .exposed(let address):
            "\(load) is not sent unencrypted to \(place(address, ", which is ")), outside this network"
        }
    }

    /// A name with its address, or the address alone.
    private func place(_ address: NetworkAddress, _ link: String) -> String {
        NetworkAddress(text: host) == nil ? host + link + address.text : host
    }

    /// The remedy; nil if none is needed.
    package var advice: String? {
        switch verdict {
        case .encrypted, .near: nil
        case .allowed: "anyone on the way can read it; use \(encrypted) to keep it private"
        case .unresolved:
            "check the name (getent hosts \(host)), use \(encrypted)" + permission(", or set ")
        case .exposed:
            "use \(encrypted), an address of this network (loopback, private, link-local, 100.64.0.0/10, fc00::/7, a link of this "
                + "machine)" + permission(", or ")
        }
    }

    package var isRefused: Bool { if case .exposed = verdict { true } else { false } }

    /// Whether a connection can be attempted now.
    var isReachable: Bool { !isRefused && verdict != .unresolved }

    /// The problem to report if the connection is refused.
    package var problem: ConfigurationProblem {
        ConfigurationProblem(place: key, message: [line, advice].compactMap { $0 }.joined(separator: ": "))
    }

    private static func addresses(
        _ base: ServerURL,
        _ lookUp: @escaping @Sendable (String) -> [NetworkAddress]
    ) async -> [NetworkAddress] {
        guard base.scheme == "http" || base.scheme == "ws" else { return [] }
        let host = base.host
        let found = literal(base)
        guard found.isEmpty else { return found }
        return await TimeLimit.run(.seconds(6)) { await OwnThread.run("jv-lookup") { lookUp(host) } } ?? []
    }

    /// Resolves localhost and its subdomains as libcurl does, without a lookup.
    @Sendable package static func system(_ host: String) -> [NetworkAddress] {
        if host == "localhost" || host.hasSuffix(".localhost") {
            return [NetworkAddress([127, 0, 0, 1])].compactMap { $0 }
        }
        return NetworkAddress.lookUp(host)
    }
}
