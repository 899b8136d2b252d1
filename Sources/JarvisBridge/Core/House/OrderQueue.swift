/// The orders of entities, one at a time for each. A value.
struct OrderQueue {
    enum Place: Equatable {
        /// To be given now; `answered` follows.
        case now
        case later
        /// Too many orders wait.
        case refused
    }

    private var underWay: Set<String> = []
    private var waiting: [String: [HouseOrder]] = [:]

    mutating func add(_ order: HouseOrder, of entity: String, _ queue: HouseEntity.Queue) -> Place {
        guard underWay.contains(entity) else {
            underWay.insert(entity)
            return .now
        }
        switch queue {
        case .last: waiting[entity] = [order]
        case .all(let most):
            guard waiting[entity, default: []].count < most else { return .refused }
            waiting[entity, default: []].append(order)
        }
        return .later
    }

    /// Returns the next order of the entity, to be given now.
    mutating func answered(_ entity: String) -> HouseOrder? {
        guard var orders = waiting[entity], !orders.isEmpty else {
            underWay.remove(entity)
            return nil
        }
        defer { waiting[entity] = orders }
        return orders.removeFirst()
    }
}
