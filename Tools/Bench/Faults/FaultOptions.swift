import ServiceSimulators
import VoiceBase
import VoiceSimulator

/// The options of a fault run.
struct FaultOptions: Sendable {
    /// The service that has the faults; nil for the Realtime service.
    var simulator: (any ServiceSimulator.Type)?
    /// Number of the user's turns after which the run ends.
    var turns = 1000
    /// Longest duration, in seconds of real time; the run then ends successfully, with fewer turns.
    var seconds: Double?
    var seed: UInt64 = 1
    /// How many times faster than real time, as far as the machine keeps up.
    var speed = 20.0
    /// Number of daemons that run in parallel.
    var lanes = 4
    /// Whether the services have faults.
    var isTroubled = true
    /// Whether an answer lost with its session is a violation too.
    var isStrict = false
    /// Whether to print every event.
    var isVerbose = false

    /// Only the Realtime service can run faster than real time: the others take their time from the audio itself.
    var isRealtime: Bool { simulator == nil }

    var service: Configuration.Service.Name { simulator.map { .init(rawValue: $0.name) } ?? .openAI }

    static let usage = """
        usage: VoiceBench faults [--service openai|\(SimulatorRegistry.all.map { $0.name }.joined(separator: "|"))] [--turns N] [--seconds S] [--seed N] [--speed X] [--lanes N]
                                [--faults on|off] [--strict on|off] [--verbose on|off]
        """

    init?(_ arguments: [String]) {
        guard arguments.count.isMultiple(of: 2) else { return nil }
        if let place = arguments.firstIndex(of: "--service"), place.isMultiple(of: 2) {
            let name = arguments[place + 1]
            simulator = SimulatorRegistry.named(name)
            guard simulator != nil || name == Configuration.Service.Name.openAI.rawValue else { return nil }
            if !isRealtime {
                turns = 300
                speed = 1
                lanes = 12
            }
        }
        for index in stride(from: 0, to: arguments.count, by: 2) {
            let value = arguments[index + 1]
            switch arguments[index] {
            case "--service": break
            case "--turns":
                guard let number = Int(value), number > 0 else { return nil }
                turns = number
            case "--seconds":
                guard let number = Double(value), number > 0 else { return nil }
                seconds = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--speed":
                guard let number = Double(value), (1...(isRealtime ? 100 : 1)).contains(number) else {
                    return nil
                }
                speed = number
            case "--lanes":
                guard let number = Int(value), (1...16).contains(number) else { return nil }
                lanes = number
            case "--faults":
                guard ["on", "off"].contains(value) else { return nil }
                isTroubled = value == "on"
            case "--strict":
                guard ["on", "off"].contains(value) else { return nil }
                isStrict = value == "on"
            case "--verbose":
                guard ["on", "off"].contains(value) else { return nil }
                isVerbose = value == "on"
            default: return nil
            }
        }
    }
}
