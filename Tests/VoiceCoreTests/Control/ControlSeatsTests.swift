import Testing

@testable import VoiceCore

/// Which clients keep a place at the control socket, and which make way.
struct ControlSeatsTests {
    private static let rule = ControlSeats.Rule(
        seats: 3,
        guests: 2,
        firstRequest: .seconds(10),
        guestRequest: .seconds(2),
        idle: .seconds(600),
        spared: .seconds(1)
    )
    private var seats = ControlSeats(rule)

    @Test mutating func whoAsksNothingHasToGo() {
        _ = seats.come(1, user: 7, at: .zero)
        _ = seats.come(2, user: 7, at: .seconds(3))
        #expect(seats.nextEnd == .seconds(10))
        seats.asked(2)
        seats.answered(2, follows: false, at: .seconds(4))
        #expect(seats.overdue(at: .seconds(9)).isEmpty)
        #expect(seats.overdue(at: .seconds(10)) == [1])
        seats.leave(1)
        #expect(seats.overdue(at: .seconds(603)).isEmpty)
        #expect(seats.overdue(at: .seconds(604)) == [2])
    }

    @Test mutating func whoIsAtWorkMayStay() {
        _ = seats.come(1, user: 7, at: .zero)
        _ = seats.come(2, user: 7, at: .zero)
        seats.asked(1)
        seats.asked(2)
        seats.answered(2, follows: true, at: .seconds(1))
        // A request between two events does not end the subscription.
        seats.asked(2)
        seats.answered(2, follows: false, at: .seconds(2))
        #expect(seats.overdue(at: .seconds(1_000_000)).isEmpty && seats.nextEnd == nil)
    }

    @Test mutating func theOneWhoHasAskedNothingTheLongestMakesWay() {
        for id in 1...3 { #expect(seats.come(id, user: 7, at: .seconds(id)) == nil) }
        seats.asked(1)
        seats.answered(1, follows: false, at: .seconds(4))
        #expect(seats.come(4, user: 7, at: .seconds(6)) == 2)
        #expect(!seats.isGuest(4))
    }

    /// However many clients come, a user with few keeps them against one with many.
    @Test mutating func aCrowdDrivesOutItself() {
        #expect(seats.come(1, user: 7, at: .zero) == nil)
        var gone: [Int] = []
        for id in 2...50 {
            if let leaving = seats.come(id, user: 666, at: .seconds(2 * id)) { gone.append(leaving) }
        }
        #expect(!gone.contains(1) && gone.count == 47)
        #expect(seats.come(60, user: 8, at: .seconds(200)) == 49, "a third user finds a place")
    }

    /// A client that has just come may be about to ask, and one at work is not disturbed.
    @Test mutating func whereNobodyMakesWayOneIsAGuest() {
        for id in 1...3 {
            _ = seats.come(id, user: 7, at: .zero)
            seats.asked(id)
        }
        #expect(seats.come(4, user: 7, at: .seconds(100)) == nil)
        #expect(seats.isGuest(4) && !seats.isGuest(1))
        #expect(seats.nextEnd == .seconds(102))
        #expect(seats.come(5, user: 7, at: .seconds(100)) == nil)
        #expect(seats.come(6, user: 8, at: .seconds(101)) == 4, "guests make way as well")
        #expect(seats.come(7, user: 7, at: .seconds(101)) == 5, "of two users with one guest each the newcomer's own")
    }
}
