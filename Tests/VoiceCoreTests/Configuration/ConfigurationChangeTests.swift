import Logging
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore

struct ConfigurationChangeTests {
    @Test func liveKeysDifferFromRestartKeys() {
        let old = Configuration()
        var new = old
        new.audio.masterVolume = 40
        new.log.level = .debug
        new.realtime.voice = "cedar"
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.inForce == ["audio.master_volume", "log.level"])
        #expect(change.afterRestart == ["realtime.voice"])
        #expect(ConfigurationChange(from: old, to: old).isEmpty)
    }

    @Test func limitsPricesAndTranscriptsAreLive() {
        var new = Configuration()
        new.budget.dayUSD = 7
        new.budget.priceAudioInUSD = 1
        new.log.transcripts = true
        let change = ConfigurationChange(from: Configuration(), to: new)
        #expect(change.inForce == ["budget.day_usd", "budget.price_audio_in_usd", "log.transcripts"])
        #expect(change.afterRestart == [])
    }

    /// `VoiceDaemon.reload` applies these, beside the keys of [budget]. A developer who declares another key live applies it
    /// there and adds it here.
    @Test func everyLiveKeyIsApplied() {
        let applied: Set = [
            "audio.master_volume", "audio.voice_volume", "audio.media_volume", "audio.inputs_volume",
            "audio.earcon_volume", "audio.capture_gain_db", "jarvis.token_file", "log.level", "log.transcripts",
        ]
        let live = ConfigurationSchema.keys.filter { $0.isLive && $0.section != "budget" }
        #expect(Set(live.map(\.path)) == applied.union(ServiceRegistry.keys.map(\.setting)))
    }

    @Test func restartKeysStayReportedUntilTheRestart() {
        let old = Configuration()
        var new = old
        new.audio.masterVolume = 40
        new.realtime.voice = "cedar"
        let inForce = ConfigurationChange(from: old, to: new).applied(new, to: old)
        #expect(inForce.audio.masterVolume == 40)
        #expect(ConfigurationChange(from: inForce, to: new).inForce == [])
        #expect(ConfigurationChange(from: inForce, to: new).afterRestart == ["realtime.voice"])
    }

    @Test func replacedSecretIsAChange() throws {
        let configuration = Configuration()
        func secrets(_ key: String, _ token: String) throws -> Secrets {
            try Secrets(
                configuration: configuration, environment: ["OPENAI_API_KEY": key, "JARVIS_TOKEN": token],
                files: .stub([:])
            )
        }
        let change = ConfigurationChange(
            from: configuration, secrets: try secrets("sk-1", "a"), to: configuration, secrets: try secrets("sk-1", "b")
        )
        #expect(change.inForce == ["agent token"])
    }

    @Test func onlyEditedVolumesChange() async {
        let controller = VolumeController(
            settings: VolumeSettings(), controls: VolumeControls(), logger: LineLog().logger, files: .stub([:])
        )
        await controller.start()
        await controller.set(.voice, percent: 30)
        await controller.reconfigure(Volumes(master: 50))
        #expect(await controller.volumes[.master] == 50)
        #expect(await controller.volumes[.voice] == 30)
    }
}
