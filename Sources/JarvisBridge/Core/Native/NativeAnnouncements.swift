/// Sounds of the house for the people in the room, one after the other: each is over when it was heard, was stopped, or
/// has failed. A value.
struct NativeAnnouncements {
    struct Item: Equatable {
        /// The connection from which it came.
        let owner: ObjectIdentifier
        /// The machine's number for it; nil if no connection waits for its end.
        var number: Int?
        /// The addresses, in the order of playing.
        let addresses: [String]
        /// The home's address; see `HouseOrder.from`.
        var home: String?
    }

    enum Event {
        case add(Item)
        /// The daemon has accepted the sound, or refused it.
        case begun(problem: String?)
        /// The daemon was asked whether the sound continues.
        ///
        /// - isCut: whether it failed or was stopped; a question then awaits no answer.
        case looked(isOver: Bool, isCut: Bool = false)
        /// A connection is closed: its waiting announcements are forgotten.
        case left(ObjectIdentifier)
    }

    enum Effect: Equatable {
        /// `Event.begun` follows.
        case play([String], home: String?)
        /// Ask the daemon in `pause` whether the sound continues; `Event.looked` follows.
        case look
        case ended(Item, isDone: Bool)
    }

    static let pause = Duration.milliseconds(250)
    /// Most announcements that wait; a further one is refused.
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
        case .looked(let isOver, let isCut):
            guard present != nil else { return [] }
            looks += 1
            return isOver || looks >= Self.mostLooks ? end(isDone: isOver && !isCut) : [.look]
        case .left(let owner):
            waiting.removeAll { $0.owner == owner }
            // The sound continues, but no connection waits for its end.
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
