internal import Synchronization

/// Orders to be silent. The audio thread (T1) obeys them in its next cycle, whatever the other threads are busy with; they carry
/// out the order afterwards and lift it, sound by sound.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `last` | any thread, with `give` | any thread |
/// | `wanted` | any thread, with `give` | T1 |
/// | `lifted` | the owner of the sound, with `lift` | T1 |
/// | `obeyed` | T1 | the thread that gave the order |
///
/// Orders are numbered. An order is in force for a sound until that order, or a later one, is lifted for it.
package final class SilenceOrders: Sendable {
    package struct Sounds: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Speech, lifted by the network thread once the stopped speech is gone from its queue.
        package static let voice = Sounds(rawValue: 1)
        /// Lifted once the player has paused or stopped.
        package static let media = Sounds(rawValue: 2)
        /// Ringing of timers and alarms, lifted once they are stopped.
        package static let ring = Sounds(rawValue: 4)
    }

    /// An order on its way to the owners of the sounds.
    package struct Order: Sendable {
        package let number: UInt64
        package let sounds: Sounds
        private let orders: SilenceOrders

        fileprivate init(_ number: UInt64, _ sounds: Sounds, _ orders: SilenceOrders) {
            self.number = number
            self.sounds = sounds
            self.orders = orders
        }

        /// The order has been carried out for these sounds, which may sound again.
        package func lift(_ sounds: Sounds) { orders.lift(number, sounds.intersection(self.sounds)) }
    }

    /// The newest order for one sound, and the newest that was lifted.
    private struct Sound: ~Copyable {
        let wanted = Atomic<UInt64>(0)
        let lifted = Atomic<UInt64>(0)

        var newest: UInt64 { wanted.load(ordering: .acquiring) }
        var isSilenced: Bool { lifted.load(ordering: .acquiring) < newest }
    }

    private let last = Atomic<UInt64>(0)
    private let voices = Sound()
    private let media = Sound()
    private let ring = Sound()
    private let newestObeyed = Atomic<UInt64>(0)

    package init() {}

    /// Orders silence from the next cycle on.
    package func give(_ sounds: Sounds) -> Order {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        if sounds.contains(.voice) { voices.wanted.max(number, ordering: .releasing) }
        if sounds.contains(.media) { media.wanted.max(number, ordering: .releasing) }
        if sounds.contains(.ring) { ring.wanted.max(number, ordering: .releasing) }
        return Order(number, sounds, self)
    }

    private func lift(_ number: UInt64, _ sounds: Sounds) {
        if sounds.contains(.voice) { voices.lifted.max(number, ordering: .releasing) }
        if sounds.contains(.media) { media.lifted.max(number, ordering: .releasing) }
        if sounds.contains(.ring) { ring.lifted.max(number, ordering: .releasing) }
    }

    /// Whether T1 has obeyed this order: what it covers has left the loudspeaker.
    package func isObeyed(_ order: Order) -> Bool { newestObeyed.load(ordering: .acquiring) >= order.number }

    // MARK: T1

    /// The newest order that concerns the voice.
    var voice: UInt64 { voices.newest }
    var isVoiceSilenced: Bool { voices.isSilenced }
    var isMediaSilenced: Bool { media.isSilenced }
    var isRingSilenced: Bool { ring.isSilenced }

    /// The newest order of all; those with a number up to it have been given.
    var newest: UInt64 { max(voices.newest, media.newest, ring.newest) }

    /// Reports what still sounds, at the end of a cycle that has seen every order up to `number`.
    func publish(seen number: UInt64, sounding: Sounds) {
        let obeyed = newestObeyed.load(ordering: .relaxed)
        guard number > obeyed, !(sounding.contains(.voice) && voices.newest > obeyed),
            !(sounding.contains(.media) && media.newest > obeyed), !(sounding.contains(.ring) && ring.newest > obeyed)
        else { return }
        newestObeyed.store(number, ordering: .releasing)
    }
}
