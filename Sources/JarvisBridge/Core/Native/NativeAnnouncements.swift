/// The sounds that the house has for the people in the room, one after the other: each is over when it has been heard, stopped, or has
/// failed. A value.
struct NativeAnnouncements {
    struct Item: Equatable {
        /// The connection it came by.
        let owner: ObjectIdentifier
        /// The machine's number for it; nil if no one waits for its end.
        var number: Int?
        /// The first one first.
        let addresses: [String]
        /// The home's address; see `HouseOrder.from`.
        var home: String?
    }

    enum Event {
        case add(Item)
        /// The daemon has taken the sound, or refused it.
        case begun(problem: String?)
        /// The daemon has been asked whether it still sounds.
        ///
        /// - isStopped: whether somebody has stopped it; a question then awaits no answer.
        case looked(isOver: Bool, isStopped: Bool = false)
        /// A connection is closed: what it has waiting is forgotten.
        case left(ObjectIdentifier)
    }

    enum Effect: Equatable {
        /// `Event.begun` follows.
        case play([String], home: String?)
        /// Ask the daemon in `pause` whether it still sounds; `Event.looked` follows.
        case look
        case ended(Item, isDone: Bool)
    }

    static let pause = Duration.milliseconds(250)
    /// Announcements that wait; another is refused.
    static let most = 16
    /// Home Assistant waits five minutes.
    private static let mostLooks = 1200

    private var present: Item?
    private var waiting: [Item] = []
    private var looks = 0

    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .add(let item):
            guard present != nil else { return begin(item) }
            guard waiting.count < Self.most else { return [.ended(item, isDone: false)] }
            waiting.append(item)
            return []
        case .begun(let problem):
            guard present != nil else { return [] }
            return problem == nil ? [.look] : end(isDone: false)
        case .looked(let isOver, let isStopped):
            guard present != nil else { return [] }
            looks += 1
            return isOver || looks >= Self.mostLooks ? end(isDone: isOver && !isStopped) : [.look]
        case .left(let owner):
            waiting.removeAll { $0.owner == owner }
            // It still sounds, but its end is not that of another connection's.
            if present?.owner == owner { present?.number = nil }
            return []
        }
    }

    private mutating func begin(_ item: Item) -> [Effect] {
        (present, looks) = (item, 0)
        return [.play(item.addresses, home: item.home)]
    }

    private mutating func end(isDone: Bool) -> [Effect] {
        let ended = present.map { Effect.ended($0, isDone: isDone) }
        present = nil
        let next = waiting.isEmpty ? [] : begin(waiting.removeFirst())
        return [ended].compactMap(\.self) + next
    }
}
