import Glibc
import Testing

@testable import VoiceAudio
@testable import VoiceBase

struct StreamPlanTests {
    private static func plan(rate: Int = 48_000, period: Int = 480, buffer: Int) -> StreamPlan {
        StreamPlan(format: .s16, rate: rate, channels: 2, periodFrames: period, bufferFrames: buffer)
    }

    @Test func anOrdinaryCardIsFilledAsConfigured() {
        #expect(Self.plan(buffer: 1920).fill(wanted: 1440, microphoneStep: 480) == 1440)
        #expect(Self.plan(rate: 16_000, period: 160, buffer: 640).fill(wanted: 1440, microphoneStep: 480) == 1440)
    }

    @Test func longStepCardGetsAnExtraStep() {
        let plan = Self.plan(period: 1024, buffer: 4096)
        #expect(plan.fill(wanted: 1440, microphoneStep: 1024) == 1024 + 1024 + 480)
        // The requested fill is larger already.
        #expect(plan.fill(wanted: 3360, microphoneStep: 1024) == 3360)
        // A microphone with long steps beside an ordinary loudspeaker.
        #expect(Self.plan(buffer: 4800).fill(wanted: 1440, microphoneStep: 1024) == 480 + 1024 + 480)
    }

    @Test func soundServerCountsAsALongStepCard() {
        var plan = Self.plan(buffer: 3968)
        plan.server = .pipeWire
        #expect(plan.step == 1024)
        #expect(plan.fill(wanted: 1440, microphoneStep: 1024) == 1024 + 1024 + 480)
    }

    /// Everything that fits, plus half a cycle that is written as soon as there is room.
    @Test func aTinyBufferIsFilledWhole() {
        #expect(Self.plan(period: 480, buffer: 960).fill(wanted: 1440, microphoneStep: 480) == 1200)
        // 10 ms are played between two cycles: that much must be left.
        #expect(Self.plan(buffer: 960).leastBuffer == 720)
    }

    @Test func summaryStatesTheLatency() {
        var plan = Self.plan(rate: 16_000, period: 160, buffer: 2560)
        plan.channels = 6
        plan.converterMilliseconds = 1.99
        #expect(plan.summary == "16000 Hz, 6 channels, buffer of 160 ms")
        #expect(Self.plan(buffer: 1920).summary == "48000 Hz, 2 channels, buffer of 40 ms")
        let long = Self.plan(period: 1024, buffer: 4096)
        #expect(long.summary == "48000 Hz, 2 channels, buffer of 85 ms in steps of 21.3 ms")
        #expect((long.addedMilliseconds - 10.83).magnitude < 0.01)
    }

    @Test func playbackCostIncludesTheStepOfTheMicrophone() {
        let plan = Self.plan(buffer: 4800)
        #expect(plan.addedMilliseconds(wanted: 1440, microphoneStep: 480) == 0)
        #expect((plan.addedMilliseconds(wanted: 1440, microphoneStep: 1024) - 11.33).magnitude < 0.01)
        let request = DeviceRequest(name: "hw:0", direction: .playback, periods: 4)
        #expect(plan.cost(request, microphoneStep: nil) == DeviceCost(whole: 30))
        #expect(plan.cost(request, microphoneStep: 1024) == DeviceCost(whole: 41, added: 12))
        let long = Self.plan(period: 1024, buffer: 4096)
        #expect(long.cost(request, microphoneStep: 1024) == DeviceCost(whole: 53, added: 23))
        func facts(_ plan: StreamPlan) -> DeviceFacts {
            DeviceFacts(
                device: "hw:0", abilities: DeviceAbilities(rates: [], formats: [], channels: 1...1), granted: plan
            )
        }
        let text = facts(plan).fillText(beside: facts(long), configured: 4)
        #expect(text == "filled to 41 ms instead of 30 ms, because a card moves in long steps")
        #expect(facts(plan).fillText(beside: facts(plan), configured: 4) == nil)
    }

    @Test func captureCostFollowsItsStep() {
        let request = DeviceRequest(name: "hw:0", direction: .capture, periods: 16)
        #expect(Self.plan(buffer: 7680).cost(request, microphoneStep: nil) == DeviceCost(whole: 10))
        #expect(
            Self.plan(period: 1024, buffer: 7680).cost(request, microphoneStep: nil) == DeviceCost(whole: 21, added: 11)
        )
    }
}

struct StreamRefusalTests {
    /// ALSA reports a missing card as an invalid argument unless its name is a bare one.
    @Test func aMissingCardIsMissingByAnyName() {
        func error(_ device: String) -> AudioDeviceError {
            .from(-EINVAL, device: device, direction: .playback, step: "open")
        }
        #expect(error("hdmi:CARD=nosuchcard,DEV=0").isAbsence)
        #expect(!error("room").isAbsence)
    }

    @Test func converterDoesNotListEveryFormat() {
        let some = DeviceAbilities(rates: [48_000], formats: ["S16_LE", "S32_LE"], channels: 2...2)
        #expect(some.text == "48000 Hz; S16_LE S32_LE; 2 channels")
        let plug = DeviceAbilities(rates: [48_000], formats: (0..<40).map { "F\($0)" }, channels: 1...10_000)
        #expect(plug.text == "48000 Hz; any format; any number of channels")
    }

    private static func refusal(_ device: String, rates: [Int] = [48_000], formats: [String] = []) -> StreamRefusal {
        StreamRefusal(
            device: device, direction: .capture,
            abilities: DeviceAbilities(rates: rates, formats: formats, channels: 1...1)
        )
    }

    @Test func unsupportedRateListsTheSupportedRates() {
        let line = Self.refusal("hw:0", rates: [16_000, 32_000]).rate(fixed: 48_000)
        #expect(line.contains("48000 Hz"))
        #expect(line.contains("16000 and 32000 Hz"))
        #expect(line.contains("audio.input_rate"))
    }

    /// As in audio.input_channel.
    @Test func channelsCountFromOne() {
        let line = StreamRefusal.channels(2, wanted: 3)
        #expect(line.hasPrefix("has 2 channels, and no channel 3: see audio.input_channel"))
        #expect(line.contains("count from 1"))
    }

    @Test(arguments: [
        ("hw:CARD=vc4hdmi0,DEV=0", "hdmi:CARD=vc4hdmi0,DEV=0"), ("plughw:vc4hdmi1", "hdmi:CARD=vc4hdmi1,DEV=0"),
        ("hw:1,3", "hdmi:CARD=1,DEV=3"),
    ])
    func aDigitalLineIsNamedByItsHdmiName(device: String, name: String) {
        let line = Self.refusal(device, formats: ["IEC958_SUBFRAME_LE"]).format
        #expect(line.hasSuffix("use it as \(name)"))
        #expect(line.contains("IEC958_SUBFRAME_LE"))
    }

    @Test func plugDeviceIsNotAdvisedToUseAPlug() {
        #expect(Self.refusal("hw:0", formats: ["MU_LAW"]).format.hasSuffix("use it as plughw:0"))
        #expect(Self.refusal("room", formats: ["MU_LAW"]).format.hasSuffix("use it as plug:room"))
        for device in ["plughw:0", "plug:room", "plugroom", "default", "sysdefault:CARD=0"] {
            let refusal = Self.refusal(device, formats: ["MU_LAW"])
            #expect(!refusal.format.contains("as plug"))
            #expect(!refusal.access.contains("as plug"))
        }
    }
}

struct SampleRatesTests {
    @Test func everyConvertedRateIsTriedOnBothSides() {
        for direction in [AudioDirection.capture, .playback] {
            #expect(SampleRates.preferred(direction).sorted() == SampleRates.known)
            #expect(SampleRates.preferred(direction).first == 48_000)
        }
    }
}
