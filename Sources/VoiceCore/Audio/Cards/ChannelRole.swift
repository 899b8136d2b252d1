/// Content of a microphone channel.
package enum ChannelRole: String, Sendable, Equatable, CaseIterable {
    /// The voice after the device's own echo canceller.
    case processed
    /// An unprocessed microphone.
    case raw
    /// The signal that the loudspeaker plays, before the room.
    case reference
    /// The channel carries nothing.
    case silent
}

/// The roles of a device's channels, in order; 1 ... 32 of them.
package struct ChannelMap: Sendable, Equatable {
    package static let most = 32

    package let roles: [ChannelRole]

    /// Why a text is not a map; the description continues the name of the key.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package init(_ roles: [ChannelRole]) throws(Fault) {
        guard !roles.isEmpty else { throw Fault(description: "names no channel") }
        guard roles.count <= Self.most else { throw Fault(description: "names more than \(Self.most) channels") }
        guard roles.contains(where: { $0 == .processed || $0 == .raw }) else {
            throw Fault(description: "names no voice channel: one must be processed or raw")
        }
        self.roles = roles
    }

    /// - Parameter text: roles separated by commas, as in "processed, raw, raw, reference".
    package init(parsing text: String) throws(Fault) {
        var roles: [ChannelRole] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            guard let role = ChannelRole(rawValue: name) else {
                let known = ChannelRole.allCases.map(\.rawValue).joined(separator: ", ")
                throw Fault(description: "accepts \(known), not \"\(name.prefix(20))\"")
            }
            roles.append(role)
        }
        try self.init(roles)
    }

    package var text: String { roles.map(\.rawValue).joined(separator: ", ") }

    /// Returns the first channel of a role, counted from 0.
    package func first(_ role: ChannelRole) -> Int? { roles.firstIndex(of: role) }

    package func all(_ role: ChannelRole) -> [Int] { roles.indices.filter { roles[$0] == role } }
}
