import Testing

@testable import VoiceAudio
@testable import VoiceBase

struct CapturePlanTests {
    private func map(_ text: String) throws -> ChannelMap { try ChannelMap(parsing: text) }

    private func wishes(
        _ map: String? = nil,
        _ change: (inout CaptureWishes) -> Void = { _ in }
    ) -> CaptureWishes {
        var wishes = CaptureWishes()
        wishes.map = map.flatMap { try? ChannelMap(parsing: $0) }
        change(&wishes)
        return wishes
    }

    /// A sound server grants what the microphone lacks; the first two channels are always there.
    @Test func channelsOfASoundServerAreNotTrusted() {
        func problem(_ channel: Int, isServer: Bool) -> String? {
            CaptureChooser(wishes { $0.channel = channel - 1 }, known: KnownDevices(), identity: nil)
                .choice(channels: channel, isServer: isServer).problem
        }
        #expect(problem(5, isServer: true)?.contains("grants channel 5 whether the microphone has it or not") == true)
        #expect(problem(5, isServer: false) == nil)
        #expect(problem(2, isServer: true) == nil)
    }

    @Test func aMapIsReadAsItIsWritten() throws {
        #expect(
            try map("processed, raw,raw ,  REFERENCE, silent").roles == [.processed, .raw, .raw, .reference, .silent]
        )
        #expect(try map("raw").text == "raw")
    }

    @Test(arguments: [
        ("", "accepts processed"), ("raw,,raw", "accepts processed"), ("raw, cooked", "not \"cooked\""),
        ("reference, silent", "names no voice channel"),
        (Array(repeating: "raw", count: 33).joined(separator: ","), "more than 32"),
    ])
    func invalidMapNamesItsFault(text: String, reason: String) {
        #expect { try ChannelMap(parsing: text) } throws: { "\($0)".contains(reason) }
    }

    @Test(arguments: [(1, ChannelSelection.average), (2, .average), (3, .channel(0)), (8, .channel(0))])
    func moreThanTwoUnknownChannelsAreNeverMixed(channels: Int, voice: ChannelSelection) {
        let plan = wishes().plan(channels: channels).plan
        #expect(plan == CapturePlan(voice: voice))
    }

    @Test func processedChannelBypassesTheCanceller() throws {
        let known = try map("raw, processed, reference")
        let (plan, reason) = wishes().plan(channels: 3, known: known)
        #expect(plan == CapturePlan(voice: .channel(1), worker: .hardware, mayTakeOver: true))
        #expect(reason == "known device")
    }

    @Test func workerSoftwareUsesRawAndReferenceChannels() throws {
        let wishes = wishes("processed, raw, raw, reference") {
            $0.worker = .software
        }
        #expect(wishes.plan(channels: 4).plan == CapturePlan(voice: .channel(1), reference: 3))
        #expect(wishes.channels() == 4)
    }

    @Test func workerBothUsesProcessedAndReferenceChannels() throws {
        let wishes = wishes("processed, raw, reference") {
            $0.worker = .both
        }
        #expect(wishes.plan(channels: 3).plan == CapturePlan(voice: .channel(0), reference: 2, worker: .both))
    }

    @Test func processedChannelIsPreferredWithoutACanceller() throws {
        let wishes = wishes("raw, processed, reference") {
            $0.cancels = false
        }
        #expect(wishes.plan(channels: 3).plan == CapturePlan(voice: .channel(1)))
    }

    @Test func aChosenChannelWinsAndItsRoleCounts() throws {
        let wishes = wishes("raw, processed") {
            $0.channel = 1
        }
        #expect(wishes.plan(channels: 2).plan.worker == .hardware)
        var other = wishes
        other.channel = 0
        #expect(other.plan(channels: 2).plan == CapturePlan(voice: .channel(0)))
    }

    @Test func silentAndReferenceChannelsAreNeverTheVoice() throws {
        #expect(wishes().plan(channels: 4, known: try map("silent, reference, raw, raw")).plan.voice == .channel(2))
        #expect(wishes().plan(channels: 2, known: try map("raw, raw")).plan.voice == .average)
        #expect(wishes().plan(channels: 2, known: try map("raw, reference")).plan.voice == .channel(0))
    }

    @Test func overlongMapOfAKnownDeviceIsIgnored() throws {
        #expect(wishes().plan(channels: 1, known: try map("raw, processed")).plan == CapturePlan(voice: .average))
    }

    @Test func overlongConfiguredMapIsReported() {
        let chooser = CaptureChooser(wishes("processed, raw, raw, raw"), known: KnownDevices(), identity: nil)
        // With all channels that it names, if the device has them.
        #expect(chooser.tries == [4, 1])
        let choice = chooser.choice(channels: 2)
        #expect(choice.problem?.contains("audio.input_channels names 4 channels, but the device has 2") == true)
        // An unused setting is not shown as in use.
        #expect(choice.text == "mean of all channels; echo: software, no channel is known to be processed")
        #expect(chooser.choice(channels: 4).problem == nil)
    }

    /// Also if the device has not even the channels that the list would use: a firmware with one channel.
    @Test func mapForAnotherFirmwareDoesNotRefuseTheDevice() {
        let six = CaptureChooser(
            wishes("processed, raw, raw, raw, raw, reference"), known: KnownDevices(), identity: nil
        )
        #expect(six.tries == [6, 1])
        #expect(CaptureChooser(wishes("silent, raw"), known: KnownDevices(), identity: nil).tries == [2, 1])
        #expect(six.choice(channels: 1).plan.voice == .average)
        // A channel that was asked for by number is needed anyway.
        let numbered = wishes("processed, raw, raw, raw") { $0.channel = 2 }
        #expect(CaptureChooser(numbered, known: KnownDevices(), identity: nil).tries == [4, 3])
    }

    /// It carries what the loudspeaker plays: the box would hear itself, and that signal would be its own reference.
    @Test func referenceChannelAsVoiceIsReported() {
        let wishes = wishes("processed, raw, raw, raw, raw, reference") { $0.channel = 5 }
        let choice = CaptureChooser(wishes, known: KnownDevices(), identity: nil).choice(channels: 6)
        #expect(choice.text == "channel 6 (reference); echo: software, channel 6 is not processed")
        #expect(choice.plan.reference == nil)
        #expect(choice.problem?.contains("the box would listen to itself") == true)
        let silent = CaptureChooser(self.wishes("raw, silent") { $0.channel = 1 }, known: KnownDevices(), identity: nil)
        #expect(silent.choice(channels: 2).problem?.contains("carries nothing") == true)
        let raw = CaptureChooser(self.wishes("raw, processed") { $0.channel = 0 }, known: KnownDevices(), identity: nil)
        #expect(raw.choice(channels: 2).problem == nil)
    }

    @Test func aWrongListOfChannelsIsAFault() {
        var audio = Configuration.Audio()
        #expect(AudioConfiguration.channelsFault(audio) == nil)
        audio.inputChannels = "processed, raw"
        #expect(AudioConfiguration.channelsFault(audio) == nil)
        for wrong in ["Processed;raw", "reference, silent", "processed,,raw"] {
            audio.inputChannels = wrong
            #expect(AudioConfiguration.channelsFault(audio)?.description.hasPrefix("audio.input_channels: ") == true)
        }
    }

    @Test func uncancelledEchoIsReported() {
        let chooser = CaptureChooser(wishes { $0.cancels = false }, known: KnownDevices(), identity: nil)
        #expect(chooser.choice(channels: 1).text == "its only channel; echo: not cancelled, echo.mode = \"off\"")
    }

    @Test func onlyChannelIsNotCalledAMean() {
        let chooser = CaptureChooser(wishes(), known: KnownDevices(), identity: nil)
        #expect(chooser.choice(channels: 1).text.hasPrefix("its only channel; echo: software"))
    }

    @Test func ineffectiveChannelSettingsAreReported() {
        var configuration = Configuration()
        #expect(EchoWorker.notices(on: configuration).isEmpty)
        configuration.echo.mode = .hardware
        configuration.audio.inputChannels = "raw, reference"
        configuration.audio.inputChannel = 2
        let notices = EchoWorker.notices(on: configuration)
        #expect(notices.contains { $0.contains("calls reference") })
        #expect(notices.contains { $0.contains("names no processed channel") })
        configuration.echo.mode = .off
        #expect(EchoWorker.notices(on: configuration).contains { $0.contains("off while the box speaks") })
    }
}
