/// The open connections, and which one is closed for a new one. A value.
///
/// A stranger is a connection that has not shown a session. Only some strangers of one address are kept, and when all
/// places are taken, the address with the most strangers loses its oldest: one address cannot keep others out.
struct ConnectionBook {
    /// Most connections, and most strangers of one address.
    static let most = 160
    static let mostStrangers = 32

    private struct Entry {
        var network: IPAddress.Network
        /// Order of arrival.
        var number: Int
        var isStranger = true
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var next = 0

    var count: Int { entries.count }

    /// Returns the connection that has to end for the new one: another, the new one itself, or none.
    mutating func opened(_ id: ObjectIdentifier, from network: IPAddress.Network) -> ObjectIdentifier? {
        next += 1
        entries[id] = Entry(network: network, number: next)
        let strangers = entries.filter(\.value.isStranger)
        if strangers.count(where: { $0.value.network == network }) > Self.mostStrangers {
            return oldest(of: network, in: strangers)
        }
        guard entries.count > Self.most else { return nil }
        let crowds = Dictionary(grouping: strangers.values, by: \.network).mapValues(\.count)
        let largest = crowds.max { $0.value < $1.value }
        return largest.flatMap { oldest(of: $0.key, in: strangers) }
    }

    private func oldest(of network: IPAddress.Network, in some: [ObjectIdentifier: Entry]) -> ObjectIdentifier? {
        some.filter { $0.value.network == network }.min { $0.value.number < $1.value.number }?.key
    }

    /// The connection has shown a session.
    mutating func isKnown(_ id: ObjectIdentifier) { entries[id]?.isStranger = false }

    mutating func closed(_ id: ObjectIdentifier) { entries[id] = nil }
}
