import Glibc
import Logging

@testable import VoiceAudio
@testable import VoiceBase

extension RememberedRoom {
    /// A path that decays from `peak`, for devices with these names.
    init(decaying peak: Float, microphone: String = "hw:CARD=A", volume: Int = 100, bias: Double = -92.25) {
        self.init(
            microphone: microphone,
            loudspeaker: "hw:CARD=B",
            volume: volume,
            bias: bias,
            path: (0..<Self.pathFrames).map { peak * exp(-Float($0) / 900) * ($0 % 3 == 0 ? -1 : 1) }
        )
    }
}

extension SavedRooms {
    init(of rooms: RememberedRoom...) {
        self.init()
        for room in rooms { keep(room) }
    }
}

extension RoomMemory {
    /// Uses the ports of a whole audio thread.
    init(directory: String, on ports: AudioPorts, logger: Logger, files: FileReader = .system) {
        self.init(
            directory: directory, microphone: ports.capture, loudspeaker: ports.playback, gauges: ports.gauges,
            exchange: ports.echoPath, volumes: ports.volumes, logger: logger, files: files
        )
    }
}
