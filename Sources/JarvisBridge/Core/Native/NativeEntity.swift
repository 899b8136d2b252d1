internal import VoiceBase

/// The rows of `HouseEntity` in the native API: those of a kind that it supports. Announcements and the player have
/// their own messages there; it has no updates that are only shown.
struct NativeEntity: Sendable {
    /// A number for each entity, which stays the same in every version.
    let key: UInt32
    let row: HouseEntity
    private let list: NativeMessage
    private let kind: Kind

    private enum Kind: Sendable {
        case `switch`, number, select, real, text, event, button, editable
    }

    static let all: [NativeEntity] = HouseEntity.all.compactMap(NativeEntity.init)

    static let byKey = Dictionary(all.map { ($0.key, $0) }) { first, _ in first }

    /// nil for a row that the native API does not support.
    private init?(_ row: HouseEntity) {
        guard let kind = Self.kind(of: row) else { return nil }
        (self.row, self.kind, key) = (row, kind, Self.key(of: row.id))
        list = Self.list(row, kind)
    }

    private static func kind(of row: HouseEntity) -> Kind? {
        switch row.platform {
        case .switch: .switch
        case .number: .number
        case .select: .select
        case .sensor: row.members["unit_of_meas"] == nil ? .text : .real
        case .event: .event
        case .button: .button
        case .text: .editable
        case .notify, .update: nil
        }
    }

    /// Home Assistant makes its unique id from the name, and uses this number only on the wire, so a hash (FNV-1a) suffices.
    static func key(of id: String) -> UInt32 { id.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 } }

    // MARK: - What the box tells

    /// The message that describes the entity.
    private static func list(_ row: HouseEntity, _ kind: Kind) -> NativeMessage {
        func text(_ member: String) -> ProtoValue { .text(row.members[member]?.stringValue ?? "") }
        func real(_ member: String) -> ProtoValue { .real(Float(row.members[member]?.doubleValue ?? 0)) }
        func count(_ member: String) -> ProtoValue { .number(UInt32(clamping: row.members[member]?.bounded ?? 0)) }
        func texts(_ field: UInt8, _ member: String) -> [ProtoField] {
            row.members[member].items.compactMap(\.stringValue).map { ProtoField(field, .text($0)) }
        }
        func choice(_ member: String, _ numbers: [String: UInt32]) -> ProtoValue {
            .number(row.members[member]?.stringValue.flatMap { numbers[$0] } ?? 0)
        }
        let common = [
            ProtoField(1, .text(row.id)), ProtoField(2, .fixed(key(of: row.id))), ProtoField(3, .text(row.name)),
            ProtoField(5, text("ic")),
        ]
        let category = choice("ent_cat", ["config": 1, "diagnostic": 2])
        switch kind {
        case .switch: return NativeMessage(.listSwitch, common + [ProtoField(8, category)])
        case .number:
            return NativeMessage(
                .listNumber,
                common + [
                    ProtoField(6, real("min")), ProtoField(7, real("max")), ProtoField(8, real("step")),
                    ProtoField(10, category), ProtoField(11, text("unit_of_meas")),
                    ProtoField(12, choice("mode", ["box": 1, "slider": 2])),
                ]
            )
        case .select: return NativeMessage(.listSelect, common + texts(6, "ops") + [ProtoField(8, category)])
        case .real:
            return NativeMessage(
                .listSensor,
                common + [
                    ProtoField(6, text("unit_of_meas")), ProtoField(7, count("sug_dsp_prc")),
                    ProtoField(9, text("dev_cla")),
                    ProtoField(10, choice("stat_cla", ["measurement": 1, "total_increasing": 2, "total": 3])),
                    ProtoField(13, category),
                ]
            )
        case .text:
            // "enum" is a class of MQTT: the native API has no list of a sensor's values.
            let isEnum = row.members["dev_cla"] == "enum"
            let kindOfText = isEnum ? ProtoValue.text("") : text("dev_cla")
            return NativeMessage(.listTextSensor, common + [ProtoField(7, category), ProtoField(8, kindOfText)])
        case .event: return NativeMessage(.listEvent, common + [ProtoField(7, category)] + texts(9, "evt_typ"))
        case .button: return NativeMessage(.listButton, common + [ProtoField(7, category)])
        case .editable:
            return NativeMessage(
                .listText,
                common + [ProtoField(7, category), ProtoField(8, count("min")), ProtoField(9, count("max"))]
            )
        }
    }

    /// The messages that describe the box's entities, in the order of sending.
    static func list(tellingWords: Bool) -> [NativeMessage] {
        all.filter { tellingWords || !$0.row.tellsWords }.map(\.list)
    }

    /// The message with the entity's state; nil if it has none, or none that a message can express.
    func state(_ status: HouseStatus) -> NativeMessage? {
        let text = row.state?(status)?.bounded(toBytes: 255)
        let key = ProtoField(1, .fixed(key))
        switch kind {
        case .switch: return text.map { NativeMessage(.switchState, [key, ProtoField(2, .flag($0 == "on"))]) }
        case .select: return text.map { NativeMessage(.selectState, [key, ProtoField(2, .text($0))]) }
        case .number, .real:
            guard let number = text.flatMap({ Float($0) }) else { return missing(key) }
            return NativeMessage(kind == .real ? .sensorState : .numberState, [key, ProtoField(2, .real(number))])
        case .text:
            guard let text else { return missing(key) }
            return NativeMessage(.textSensorState, [key, ProtoField(2, .text(text))])
        // A blank text would be shorter than its limit, which is an error in Home Assistant.
        case .editable: return NativeMessage(.textState, [key, ProtoField(3, .flag(true))])
        case .event, .button: return nil
        }
    }

    private func missing(_ key: ProtoField) -> NativeMessage {
        let message: NativeMessage.Kind = kind == .text ? .textSensorState : kind == .real ? .sensorState : .numberState
        return NativeMessage(message, [key, ProtoField(3, .flag(true))])
    }

    /// The message about an event; nil if the entity is not one of them.
    static func event(_ item: HouseNews.Item) -> NativeMessage? {
        guard HouseEntity.byID[item.entity]?.platform == .event,
            let payload = OutsideJSON.decode(JSONValue.self, from: item.payload.utf8, atMost: 4096),
            let type = payload["event_type"]?.stringValue
        else { return nil }
        return NativeMessage(.event, [ProtoField(1, .fixed(key(of: item.entity))), ProtoField(2, .text(type))])
    }

    // MARK: - What Home Assistant orders

    /// The command as MQTT would have it; nil if the message is not one for this entity.
    func command(_ kind: NativeMessage.Kind, _ fields: ProtoFields) -> String? {
        switch (self.kind, kind) {
        case (.switch, .switchCommand): fields.flag(2) ? "on" : "off"
        case (.number, .numberCommand): "\(fields.real(2))"
        case (.select, .selectCommand), (.editable, .textCommand): fields.text(2)
        case (.button, .buttonCommand): "PRESS"
        default: nil
        }
    }
}
