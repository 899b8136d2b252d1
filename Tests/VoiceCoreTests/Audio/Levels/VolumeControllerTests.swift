import FoundationEssentials
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

struct VolumeControllerTests {
    /// A separate folder, removed with the test.
    private final class Folder {
        let path = NSTemporaryFolder.path + "/volumes-\(UUID().uuidString)"
        var file: String { path + "/state/volumes.toml" }
        var text: String? {
            (try? FileReader.system.read(file, 10_000)).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private enum NSTemporaryFolder {
        static let path = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    }

    private final class FakeMixer: MixerControl {
        let calls = Mutex<[String]>([])
        let fault: MixerError?
        init(fault: MixerError? = nil) { self.fault = fault }
        func set(_ percent: Int, at place: MixerPlace) throws(MixerError) {
            calls.withLock { $0.append("\(place.card)/\(place.element) \(percent)") }
            if let fault { throw fault }
        }
    }

    private let log = LineLog()
    private let ports = AudioPorts()

    private func controller(
        _ folder: Folder?,
        mixer: (any MixerControl)? = nil,
        pause: Duration = .seconds(3600),
        _ change: (inout VolumeSettings) -> Void = { _ in }
    ) -> VolumeController {
        var settings = VolumeSettings()
        settings.stateDirectory = folder.map { $0.path + "/state" }
        change(&settings)
        return VolumeController(
            settings: settings, controls: ports.volumes, logger: log.logger, mixer: mixer, pause: pause
        )
    }

    @Test func volumesOutliveARestart() async throws {
        let folder = Folder()
        let first = controller(folder)
        await first.start()
        await first.set(.master, percent: 40)
        await first.set(.media, percent: 140)
        await first.setMuted(true)
        #expect(ports.volumes.gain(of: .master) == 0)
        await first.stop()

        let second = controller(folder)
        await second.start()
        var expected = Volumes(master: 40, media: 100)
        expected.isMuted = true
        #expect(await second.volumes == expected)
        await second.setMuted(false)
        #expect(abs(ports.volumes.gain(of: .master) - 0.064) < 1e-6)
        #expect(log.lines.isEmpty)
    }

    @Test func unchangedVolumeIsNotWritten() async {
        let folder = Folder()
        let controller = controller(folder)
        await controller.start()
        await controller.set(.master, percent: 100)
        await controller.stop()
        #expect(folder.text == nil)
    }

    @Test func volumeFileIsPrivateAndLeavesNoTemporaryFile() async throws {
        let folder = Folder()
        let controller = controller(folder)
        await controller.start()
        await controller.set(.voice, percent: 10)
        await controller.stop()
        let file = try FileManager.default.attributesOfItem(atPath: folder.file)[.posixPermissions] as? Int
        #expect(file == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state") == ["volumes.toml"])
    }

    @Test func aChangeIsWrittenWithoutAStopToo() async throws {
        let folder = Folder()
        let controller = controller(folder, pause: .zero)
        await controller.start()
        await controller.set(.voice, percent: 33)
        for _ in 0..<500 where folder.text == nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(folder.text?.contains("voice = 33") == true)
    }

    @Test(arguments: ["volume = ", "[volume]\nmaster = 400", "[volume]\nmaster = \"loud\"", "\u{0}\u{1}", "x = [[["])
    func aBrokenFileIsOneLineInTheLog(text: String) async throws {
        let folder = Folder()
        try StateFile.write(Array(text.utf8), to: folder.file)
        let controller = controller(folder)
        await controller.start()
        #expect(await controller.volumes == Volumes())
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains(folder.file) == true)
    }

    @Test func anyBytesAreRead() {
        var random = SeededGenerator(seed: 3)
        let good = Array(SavedVolumes(volumes: Volumes(master: 3), configured: Volumes()).text.utf8)
        for _ in 0..<500 {
            var bytes = good
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...20, using: &random))
            guard let saved = try? SavedVolumes(parsing: bytes, configuration: Volumes()) else { continue }
            for channel in VolumeChannel.allCases { #expect(Volumes.range.contains(saved.volumes[channel])) }
        }
    }

    @Test func editedConfigurationOverridesTheSavedVolume() async {
        let folder = Folder()
        let first = controller(folder)
        await first.start()
        await first.set(.master, percent: 40)
        await first.set(.media, percent: 30)
        await first.stop()
        let second = controller(folder) { $0.configured[.master] = 80 }
        await second.start()
        #expect(await second.volumes == Volumes(master: 80, media: 30))
    }

    @Test func unwritableFolderIsLoggedAndTheVolumeHolds() async {
        let controller = controller(nil) { $0.stateDirectory = "/proc/nowhere" }
        await controller.start()
        await controller.set(.master, percent: 40)
        await controller.stop()
        #expect(await controller.volumes[.master] == 40)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("/proc/nowhere/volumes.toml cannot be written") == true)
    }

    @Test func cardMixerTakesTheMasterVolume() async {
        let mixer = FakeMixer()
        let controller = controller(nil, mixer: mixer) {
            $0.mixer = "PCM"
            $0.playbackDevice = "hw:1,0"
        }
        await controller.start()
        await controller.set(.master, percent: 40)
        await controller.set(.voice, percent: 50)
        await controller.setMuted(true)
        #expect(
            mixer.calls.withLock { $0 } == [
                "hw:1/PCM 100", "hw:1/PCM 40", "hw:1/PCM 0",
            ]
        )
        await controller.setMuted(false)
        #expect(ports.volumes.gain(of: .master) == 1)
    }

    @Test func failingMixerUsesTheSoftwareVolume() async throws {
        let fault = MixerError.noElement(try MixerPlace("X", device: "hw:1"), known: ["PCM"])
        let controller = controller(nil, mixer: FakeMixer(fault: fault)) { $0.mixer = "X" }
        await controller.start()
        await controller.set(.master, percent: 50)
        #expect(ports.volumes.gain(of: .master) == 0.125)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("it has: PCM") == true)
    }

    @Test(
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/root"], "/var/lib/a"),
            (["XDG_STATE_HOME": "/x", "HOME": "/root"], "/x/jarvis-voiced"),
            (["XDG_STATE_HOME": "relative", "HOME": "/root"], "/root/.local/state/jarvis-voiced"),
            (["HOME": "/"], nil),
            ([:], nil),
        ] as [([String: String], String?)]
    )
    func theStateDirectoryIsFound(environment: [String: String], path: String?) {
        #expect(StateDirectory.path(environment: environment) == path)
    }
}
