/// How often a lasting disturbance is logged: after 5, 10, 20 s ... and finally once an hour. A quiet minute resets it.
struct DisturbancePace: Sendable {
    static let shortest = Duration.seconds(5)
    static let longest = Duration.seconds(3600)
    static let calm = Duration.seconds(60)

    private var pause = Self.shortest
    private var reported: Duration?
    private var last: Duration?

    /// Call about once a second.
    /// - Parameters:
    ///   - isDisturbed: whether something happened since the last call.
    ///   - isNews: whether something happened that was not logged yet.
    /// - Returns: whether to log it now.
    mutating func step(isDisturbed: Bool, isNews: Bool, at now: Duration) -> Bool {
        if let last, now - last >= Self.calm { pause = Self.shortest }
        if isDisturbed { last = now }
        guard isNews else { return false }
        if let reported {
            guard now - reported >= pause else { return false }
            pause = min(pause * 2, Self.longest)
        }
        reported = now
        return true
    }
}
