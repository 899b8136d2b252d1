package import VoiceBase

/// A look at the status of the daemon.
package struct StatusSample: Sendable {
    package var values: [String: JSONValue]
    /// Whether these are all members: a member that is not among them is gone.
    package var isWhole: Bool
    package var at: Duration

    package init(_ values: [String: JSONValue], isWhole: Bool, at: Duration) {
        (self.values, self.isWhole, self.at) = (values, isWhole, at)
    }
}

/// The status as a subscriber knows it: finds the changes in each sample. A pure value.
///
///     {"event":"snapshot","number":1,"missed":0,"values":{...}}
///     {"event":"changed","number":2,"age_ms":3,"values":{"state":"listening"}}
struct StatusFeed {
    /// Silence after which an empty change says that the daemon is alive.
    static let longestSilence = Duration.seconds(5)

    private var told: [String: JSONValue] = [:]
    private var number = 0
    private var missed = 0
    private var toldAt = Duration.zero

    /// The message for a subscriber; nil if it has nothing to learn, or no room.
    /// - Parameter hasRoom: false while it has not read what it was sent.
    mutating func message(_ sample: StatusSample, hasRoom: Bool, at now: Duration) -> JSONValue? {
        guard number > 0, missed == 0 else { return snapshot(sample, hasRoom: hasRoom, at: now) }
        var new = sample.values.filter { told[$0.key] != $0.value }
        if sample.isWhole {
            for name in told.keys where sample.values[name] == nil { new[name] = JSONValue.null }
        }
        guard !new.isEmpty || now - toldAt >= Self.longestSilence else { return nil }
        guard hasRoom else {
            missed = 1
            return nil
        }
        told.merge(new) { $1 }
        told = told.filter { $0.value != .null }
        return message(
            "changed", ["age_ms": .integer(Int((now - sample.at).milliseconds)), "values": .object(new)], at: now
        )
    }

    private mutating func snapshot(_ sample: StatusSample, hasRoom: Bool, at now: Duration) -> JSONValue? {
        guard sample.isWhole, hasRoom else {
            if number > 0 { missed += 1 }
            return nil
        }
        defer { missed = 0 }
        told = sample.values
        return message("snapshot", ["missed": .integer(missed), "values": .object(told)], at: now)
    }

    private mutating func message(_ event: String, _ members: [String: JSONValue], at now: Duration) -> JSONValue {
        number += 1
        toldAt = now
        return .object(members.merging(["event": .string(event), "number": .integer(number)]) { own, _ in own })
    }
}

/// A client that follows the status.
package struct StatusSubscription: Sendable {
    /// Levels ten times a second.
    var hasLevels: Bool
    /// Only the time of an event matters: its content shows in the next sample.
    var events: DaemonEvents.Subscription
    /// - Parameter isWhole: all members, or the levels alone.
    var sample: @Sendable (_ isWhole: Bool) async -> StatusSample

    /// How often the whole status is looked at while nothing happens.
    private static let pace = Duration.seconds(1)
    private static let levelPace = Duration.milliseconds(100)

    /// Hands samples on until the task is cancelled: immediately after an event, else at their pace.
    func run(_ handOn: @Sendable @escaping (StatusSample) -> Void) async {
        let (wakes, waker) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(4))
        await withDiscardingTaskGroup { group in
            group.addTask { [events] in for await _ in events.stream { waker.yield(true) } }
            group.addTask { [hasLevels] in
                repeat {
                    waker.yield(false)
                } while (try? await Sleep.for(hasLevels ? Self.levelPace : Self.pace)) != nil
                waker.finish()
            }
            var latest: Duration?
            for await hasHappened in wakes {
                let isDue = latest.map { Monotonic.now() - $0 >= Self.pace } ?? true
                guard hasHappened || isDue || hasLevels else { continue }
                if hasHappened || isDue { latest = Monotonic.now() }
                handOn(await sample(hasHappened || isDue))
            }
            group.cancelAll()
        }
    }
}
