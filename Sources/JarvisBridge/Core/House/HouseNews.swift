internal import VoiceBase

/// Finds what is new from one status to the next, as events for Home Assistant. A value.
struct HouseNews {
    struct Item: Equatable {
        /// The id of an entity.
        let entity: String
        let payload: String
    }

    /// The previous status; nil while there is none: its entries are not new.
    private var last: [String: JSONValue]?

    init() {}

    /// The daemon is gone; its lists begin again.
    mutating func forget() { last = nil }

    /// - Parameter tellsWords: whether the names of timers may leave the box: they are spoken words.
    mutating func learn(_ values: [String: JSONValue], tellsWords: Bool) -> [Item] {
        defer { last = values }
        guard let last else { return [] }
        var news: [Item] = []
        for word in Self.added("wake_list", last, values) where word["heard"] == true {
            news.append(Self.item("wake", "heard", word.members(["word"])))
        }
        for turn in Self.added("turn_list", last, values) {
            let members = ["turn", "calls", "interrupted", "failed", "answered_ms", "first_sample_ms"]
            news.append(Self.item("turn", turn["failed"] == nil ? "finished" : "failed", turn.members(members)))
        }
        let (before, after) = (last["timer_list"].items, values["timer_list"].items)
        func add(_ type: String, _ timers: [JSONValue]) {
            for timer in timers {
                news.append(Self.item("timer", type, timer.members(tellsWords ? ["kind", "name"] : ["kind"])))
            }
        }
        add("ended", Self.without(after, before))
        add("set", Self.without(before, after))
        add("rings", Self.without(before.filter { $0["rings"] == true }, after.filter { $0["rings"] == true }))
        return news
    }

    /// The entries of a list that it did not have before.
    private static func added(
        _ list: String,
        _ before: [String: JSONValue],
        _ after: [String: JSONValue]
    ) -> [JSONValue] {
        guard before[list] != after[list] else { return [] }
        let known = before[list].items
        return after[list].items.filter { !known.contains($0) }
    }

    /// The timers of `second` that `first` does not have.
    private static func without(_ first: [JSONValue], _ second: [JSONValue]) -> [JSONValue] {
        func identity(_ timer: JSONValue) -> [JSONValue?] { [timer["kind"], timer["name"]] }
        var rest = first.map(identity)
        return second.filter { timer in
            guard let index = rest.firstIndex(of: identity(timer)) else { return true }
            rest.remove(at: index)
            return false
        }
    }

    private static func item(_ entity: String, _ type: String, _ members: [String: JSONValue]) -> Item {
        var members = members
        members["event_type"] = .string(type)
        return Item(entity: entity, payload: JSONValue.object(members).encoded)
    }
}
