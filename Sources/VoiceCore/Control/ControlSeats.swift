/// Decides which clients may stay connected to the control socket, and for how long. An idle client keeps nobody out.
///
/// A client has a limited time for its first request, and later for each next one; while a request is under way or
/// events are subscribed to, it may stay. If all seats are taken, an idle client of the user with the most connections
/// is evicted, the one idle the longest. If no client can be evicted, a newcomer becomes a guest: it may make one
/// request that silences the box, and no other.
///
/// A pure value. Times are monotonic.
struct ControlSeats {
    struct Rule: Sendable, Equatable {
        var seats = 16
        var guests = 8
        /// Time for the first request, of a client with a seat and of a guest.
        var firstRequest = Duration.seconds(10)
        var guestRequest = Duration.seconds(2)
        /// Time between two requests.
        var idle = Duration.seconds(600)
        /// A client that connected or was answered less than this ago is not evicted: it may be about to send a
        /// request.
        var spared = Duration.seconds(1)
    }

    private struct Seat {
        var id: Int
        var user: UInt32
        /// Since when it has been idle.
        var since: Duration
        var hasAsked = false
        /// A request is under way.
        var isBusy = false
        /// It receives events.
        var isSubscribed = false
        var isGuest = false

        var isAtWork: Bool { isBusy || isSubscribed }
    }

    let rule: Rule
    private var taken: [Seat] = []

    init(_ rule: Rule = Rule()) {
        self.rule = rule
    }

    /// Adds a client.
    /// - Returns: the client to disconnect to make room, if any.
    mutating func come(_ id: Int, user: UInt32, at now: Duration) -> Int? {
        var seat = Seat(id: id, user: user, since: now)
        defer { taken.append(seat) }
        guard taken.count(where: { !$0.isGuest }) >= rule.seats else { return nil }
        if let idle = mostIdle(user, { !$0.isGuest && now - $0.since >= rule.spared }) { return leave(idle) }
        seat.isGuest = true
        guard taken.count(where: \.isGuest) >= rule.guests else { return nil }
        // A guest at work is about to leave anyway; one is evicted only if all of them are at work.
        return (mostIdle(user, \.isGuest) ?? taken.first(where: \.isGuest)?.id).flatMap { leave($0) }
    }

    /// Returns the client that has been idle the longest, of the user with the most connections among those that may
    /// go. The newcomer counts as a connection of its user. If users are tied, the newcomer's user gives way.
    private func mostIdle(_ newcomer: UInt32, _ mayGo: (Seat) -> Bool) -> Int? {
        let idle = taken.filter { !$0.isAtWork && mayGo($0) }
        func weight(_ user: UInt32) -> (Int, Int) {
            (taken.count { $0.user == user } + (user == newcomer ? 1 : 0), user == newcomer ? 1 : 0)
        }
        guard let user = idle.map(\.user).max(by: { weight($0) < weight($1) }) else { return nil }
        return idle.filter { $0.user == user }.min { $0.since < $1.since }?.id
    }

    @discardableResult
    mutating func leave(_ id: Int) -> Int {
        taken.removeAll { $0.id == id }
        return id
    }

    /// Whether it is a guest, which may only make a request that silences the box.
    func isGuest(_ id: Int) -> Bool { taken.contains { $0.id == id && $0.isGuest } }

    mutating func asked(_ id: Int) {
        change(id) { seat in
            seat.hasAsked = true
            seat.isBusy = true
        }
    }

    /// - Parameter follows: whether the client receives events from now on.
    mutating func answered(_ id: Int, follows: Bool, at now: Duration) {
        change(id) { seat in
            seat.isBusy = false
            seat.isSubscribed = seat.isSubscribed || follows
            seat.since = now
        }
    }

    private mutating func change(_ id: Int, _ body: (inout Seat) -> Void) {
        for index in taken.indices where taken[index].id == id { body(&taken[index]) }
    }

    private func end(of seat: Seat) -> Duration? {
        guard !seat.isAtWork else { return nil }
        return seat.since + (seat.isGuest ? rule.guestRequest : seat.hasAsked ? rule.idle : rule.firstRequest)
    }

    /// Clients whose time is up.
    func overdue(at now: Duration) -> [Int] {
        taken.filter { seat in end(of: seat).map { $0 <= now } ?? false }.map(\.id)
    }

    /// The next deadline of a client; nil if there is none.
    var nextEnd: Duration? { taken.compactMap(end).min() }
}
