/// The kind of media, which decides how an item ends and whether its place is remembered.
package enum MediaKind: String, Sendable, Codable, CaseIterable {
    /// A live stream: has no end, and is reconnected when it breaks.
    case radio
    /// Resumes where it was left.
    case podcast
    /// Music, or any other recording.
    case track
}
