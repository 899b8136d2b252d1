/// Who may stay at the control socket, and for how long: a client that asks nothing keeps nobody out.
///
/// A client is given time for its first request, and later for its next one; while a request of it is under way, or events
/// follow it, it may stay. Where all seats are taken, the one that has asked for nothing the longest makes room, of the
/// user who has most of them. Where everybody is at work, a newcomer stays as a guest: it may give one order of those that
/// silence the box, and nothing else.
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
        /// Nobody makes room who has come, or was answered, this short a time ago: he may be about to ask.
        var spared = Duration.seconds(1)
    }

    private struct Seat {
        var id: Int
        var user: UInt32
        /// Since when it has asked for nothing.
        var since: Duration
        var hasAsked = false
        /// A request is under way.
        var isBusy = false
        /// Events follow it.
        var isSubscribed = false
        var isGuest = false

        var isAtWork: Bool { isBusy || isSubscribed }
    }

    let rule: Rule
    private var taken: [Seat] = []

    init(_ rule: Rule = Rule()) {
        self.rule = rule
    }

    /// A client has come.
    /// - Returns: who has to go for it.
    mutating func come(_ id: Int, user: UInt32, at now: Duration) -> Int? {
        var seat = Seat(id: id, user: user, since: now)
        defer { taken.append(seat) }
        guard taken.count(where: { !$0.isGuest }) >= rule.seats else { return nil }
        if let idle = mostIdle(user, { !$0.isGuest && now - $0.since >= rule.spared }) { return leave(idle) }
        seat.isGuest = true
        guard taken.count(where: \.isGuest) >= rule.guests else { return nil }
        // A guest who has been given an order is about to leave; at worst all of them are.
        return (mostIdle(user, \.isGuest) ?? taken.first(where: \.isGuest)?.id).flatMap { leave($0) }
    }

    /// Who has asked for nothing the longest, of the user who has most of those that may go. Of users who have equally many,
    /// the newcomer's own gives way.
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

    /// Whether it is a guest, who may give an order that silences and nothing else.
    func isGuest(_ id: Int) -> Bool { taken.contains { $0.id == id && $0.isGuest } }

    mutating func asked(_ id: Int) {
        change(id) { seat in
            seat.hasAsked = true
            seat.isBusy = true
        }
    }

    /// - Parameter follows: events follow from now on.
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

    /// Whose time is over.
    func overdue(at now: Duration) -> [Int] {
        taken.filter { seat in end(of: seat).map { $0 <= now } ?? false }.map(\.id)
    }

    /// When the next one's is; nil where nobody's will be.
    var nextEnd: Duration? { taken.compactMap(end).min() }
}
