import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct LocalSpeakerTests {
    /// The second sentence is requested ahead of the first sound; espeak-ng speaks both.
    @Test(arguments: [WyomingSimulator.Fault.soundless, .zeros])
    func espeakReplacesASpeakerWithoutSound(fault: WyomingSimulator.Fault) async throws {
        let servers = WyomingSimulator(.init(speaker: fault))
        let port = try await servers.start()
        let address = try WyomingAddress("127.0.0.1:\(port)", key: "local.speaker")
        let (trouble, spoken, heard) = (Collected<String>(), Collected<String>(), Collected<Int>())
        try await NetworkThread.with { network in
            let over = Promise<Void>()
            let held = Promise<NetworkConfined<LocalSpeaker>>()
            let speaker = NetworkConfined(
                LocalSpeaker(
                    on: network,
                    at: address,
                    allowsPublic: false,
                    voice: "",
                    espeak: { text, speech in
                        spoken.add([text])
                        Task {
                            let sound = WaveBytes(
                                MonoWave.bytes(samples: [Int16](repeating: 5000, count: 480), rate: 24_000)
                            )
                            await held.wait().perform { $0.spoken(sound, speech) }
                        }
                        return true
                    },
                    report: { outcome in
                        switch outcome {
                        case .trouble(let end): trouble.add([end.description])
                        case .sound(let index, _): heard.add([index])
                        case .ended, .failed: over.give(())
                        case .began, .finished: break
                        }
                    }
                ),
                on: network
            )
            held.give(speaker)
            speaker.perform { $0.speak(["Two meetings.", "It rains."]) }
            await over.wait()
            speaker.perform { $0.stop() }
        }
        await servers.stop()
        #expect(spoken.all == ["Two meetings.", "It rains."])
        #expect(Set(heard.all) == [0, 1])
        #expect(trouble.all.count == 1 && trouble.all[0].contains("no sound"), "\(trouble.all)")
    }

    /// A message is not progress: an empty one every 20 ms kept the box speaking for good.
    @Test func emptyMessagesDoNotKeepASentenceOpen() async throws {
        let servers = WyomingSimulator(.init(speaker: .trickle))
        let port = try await servers.start()
        let address = try WyomingAddress("127.0.0.1:\(port)", key: "local.speaker")
        let trouble = Collected<WyomingEnd.Kind>()
        try await NetworkThread.with { network in
            let over = Promise<Void>()
            let speaker = NetworkConfined(
                LocalSpeaker(
                    on: network,
                    at: address,
                    allowsPublic: false,
                    voice: "",
                    nextLimit: .milliseconds(100),
                    espeak: { _, _ in false },
                    report: { outcome in
                        switch outcome {
                        case .trouble(let end): trouble.add([end.kind])
                        case .ended, .failed: over.give(())
                        case .began, .sound, .finished: break
                        }
                    }
                ),
                on: network
            )
            speaker.perform { $0.speak(["Hello."]) }
            await over.wait()
            speaker.perform { $0.stop() }
        }
        await servers.stop()
        #expect(trouble.all == [.late])
    }

    /// A chunk of a minute for one word, as of a server that has gone wrong.
    @Test func chunkTooLongForItsTextIsNotPlayed() async throws {
        let server = try LoopbackServer { socket in
            _ = socket.read()
            let length = 60 * 22_050 * 2
            socket.write(
                #"{"type":"audio-chunk","data":{"rate":22050,"width":2,"channels":1},"payload_length":\#(length)}"#
                    + "\n"
            )
            _ = socket.offer([UInt8](repeating: 1, count: length))
            socket.waitForEnd()
        }
        let address = try WyomingAddress("127.0.0.1:\(server.port)", key: "local.speaker")
        let trouble = Collected<WyomingEnd.Kind>()
        let sound = Collected<Int>()
        try await NetworkThread.with { network in
            let over = Promise<Void>()
            let speaker = NetworkConfined(
                LocalSpeaker(
                    on: network,
                    at: address,
                    allowsPublic: false,
                    voice: "",
                    espeak: { _, _ in false },
                    report: { outcome in
                        switch outcome {
                        case .sound(_, let samples): sound.add([samples.count])
                        case .trouble(let end): trouble.add([end.kind])
                        case .ended, .failed: over.give(())
                        case .began, .finished: break
                        }
                    }
                ),
                on: network
            )
            speaker.perform { $0.speak(["Hello."]) }
            await over.wait()
            speaker.perform { $0.stop() }
        }
        #expect(trouble.all == [.garbage] && sound.all.isEmpty)
    }
}
