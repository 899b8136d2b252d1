/// What kind of media an item is: how it ends and whether its place is remembered.
package enum MediaKind: String, Sendable, Codable, CaseIterable {
    /// A live stream: has no end, is connected again when it breaks.
    case radio
    /// Resumed where it was left.
    case podcast
    /// Music, or any other recording.
    case track
}
