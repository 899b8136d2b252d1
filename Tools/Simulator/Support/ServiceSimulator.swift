package import VoiceBase
package import VoiceSession

/// A simulated voice service as the tools use it: `jarvis-simulator serve`, the fault runs and the fuzzer.
///
/// Each service has a folder and a module of its own for it, which no other module names but `SimulatorRegistry`.
package protocol ServiceSimulator: Sendable {
    typealias Events = @Sendable (RealtimeSimulator.Event) -> Void

    /// The name of the service in `service.use`.
    static var name: String { get }
    /// The parser of its messages, if the fuzzer tests one.
    static var fuzz: FuzzTarget? { get }

    /// Returns the key of its address, and the address of a simulator on this port.
    static func address(port: Int) -> (key: String, url: String)

    /// A service without faults, but for those that the options ask for.
    ///
    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - events: without audio data; called on the connection's thread; must not block.
    /// - Throws: the first option that is wrong.
    static func serving(
        _ talk: ServedTalk, port: Int, voice: SpokenVoice, events: @escaping Events
    ) throws(ServedOptionError) -> Self

    /// A service for a fault run, whose users speak in tones.
    ///
    /// - Parameters:
    ///   - seed: of the faults; nil for a service without any.
    ///   - struck: called with each fault and its connection, if it has one; like `events`.
    static func failing(
        seed: UInt64?, key: String, events: @escaping Events, struck: @escaping @Sendable (FaultKind, Int?) -> Void
    ) -> Self

    /// Sets what a fault run of its service needs beside the address.
    static func hurry(_ configuration: inout Configuration, seed: UInt64)
    /// Shortens the time limits that the configuration does not have.
    static func hurry(_ service: inout any VoiceService)

    /// Starts to listen and returns the port; throws if the port is taken.
    func start() async throws -> Int
    /// Ends the faults of connections that begin from now on.
    func calmDown()
    /// Closes the listener and every connection.
    func stop() async
}

extension ServiceSimulator {
    package static var fuzz: FuzzTarget? { nil }
    package static func hurry(_ configuration: inout Configuration, seed: UInt64) {}
    package static func hurry(_ service: inout any VoiceService) {}
}

/// What a served service does with each turn of the user.
package struct ServedTalk: Sendable {
    /// What the user asks, for a service that passes it on.
    package var queries: [String]
    /// What a service with an agent of its own answers.
    package var answers: [String]
    /// Options of the service, by name.
    package var options: [String: String]

    package init(queries: [String], answers: [String], options: [String: String] = [:]) {
        self.queries = queries
        self.answers = answers
        self.options = options
    }

    /// Throws if there are options other than these.
    package func allow(_ names: [String]) throws(ServedOptionError) {
        guard let wrong = options.keys.sorted().first(where: { !names.contains($0) }) else { return }
        let known = names.isEmpty ? "no options" : names.joined(separator: ", ")
        throw ServedOptionError("there is no option \(wrong): this service has \(known)")
    }

    /// Returns the number of an option; nil if it is not set.
    package func number(_ name: String, _ range: ClosedRange<Int>) throws(ServedOptionError) -> Int? {
        guard let text = options[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ServedOptionError("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// A wrong option of a simulated service, in one line.
package struct ServedOptionError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
