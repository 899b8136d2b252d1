internal import SimulatedDatagrid
internal import SimulatedGemini
internal import SimulatedHero365
internal import SimulatedLive
package import VoiceSimulator

/// The simulated services beside the Realtime one. To add one, add a line.
package enum SimulatorRegistry {
    package static let all: [any ServiceSimulator.Type] = [
        LiveSimulator.self,
        DatagridSimulator.self,
        Hero365Simulator.self,
        GeminiSimulator.self,
    ]

    package static func named(_ name: String) -> (any ServiceSimulator.Type)? { all.first { $0.name == name } }
}
