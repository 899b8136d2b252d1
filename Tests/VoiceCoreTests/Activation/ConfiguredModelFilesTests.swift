import FoundationEssentials
import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceCore

/// `config check` names the files of word models that are not there; the daemon runs without them.
struct ConfiguredModelFilesTests {
    private final class Box: Sendable {
        let path = "/tmp/models-\(getpid())-\(UInt32.random(in: 0 ... .max))"

        init() { mkdir(path, 0o700) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String, to name: String) throws {
            try StateFile.write(Array(text.utf8), to: path + "/" + name)
        }
    }

    private func problems(_ change: (inout Configuration.Activation) -> Void) -> [String] {
        var configuration = Configuration()
        change(&configuration.activation)
        return ConfiguredModelFiles.problems(configuration.activation).map(\.description)
    }

    /// The default files belong to packages that need not be installed.
    @Test func missingDefaultModelsAreNotReported() {
        #expect(problems { _ in }.isEmpty)
    }

    @Test func missingModelNamesItsKeyAndTheFix() {
        let stop = problems { $0.stopModel = "/nowhere/stop.json" }
        #expect(stop.count == 1)
        #expect(stop.first?.hasPrefix("activation.stop_model: there is no /nowhere/stop.json: ") == true)
        #expect(stop.first?.contains("or leave the key out") == true)
        let folder = problems {
            $0.wakeModels = "/nowhere/wake"
            $0.sphinxModel = "/nowhere/en"
        }
        #expect(folder.count == 2)
        #expect(folder.first?.hasPrefix("activation.wake_models: there is no /nowhere/wake: ") == true)
        #expect(folder.first?.contains("wake install") == true)
        #expect(folder.last?.hasPrefix("activation.sphinx_model: there is no /nowhere/en: ") == true)
        // What no engine uses is not missed.
        #expect(
            problems {
                $0.engine = .off
                $0.stopModel = "/nowhere/stop.json"
            }.isEmpty
        )
        #expect(
            problems {
                $0.engine = .wyoming
                $0.wakeModels = "/nowhere/wake"
            }.isEmpty
        )
    }

    /// The manifest is there, the model that it names is not; then both are.
    @Test func missingModelFileOfAManifestIsReported() throws {
        let box = Box()
        try box.write(
            #"{"type":"micro","wake_word":"stop","model":"halt.tflite","version":2,"#
                + #""micro":{"probability_cutoff":0.9,"sliding_window_size":5,"feature_step_size":10}}"#,
            to: "stop.json"
        )
        let found = problems { $0.stopModel = box.path + "/stop.json" }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("activation.stop_model: there is no \(box.path)/halt.tflite: ") == true)
        try box.write("x", to: "halt.tflite")
        #expect(problems { $0.stopModel = box.path + "/stop.json" }.isEmpty)
    }

    /// The daemon listens with PocketSphinx instead.
    @Test func missingStopModelDoesNotPreventTheStart() throws {
        var configuration = Configuration()
        configuration.activation.stopModel = "/nowhere/stop.json"
        #expect(try ActivationSettings(configuration).makeDetector != nil)
    }
}
