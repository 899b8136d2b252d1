/// The ports of the audio thread (T1): everything that it shares with the rest of the program, sorted by who is at the other
/// end.
///
///     MicrophoneTap  T1 --> network thread       EarconRequests   conversation, activation --> T1
///     WakeWordTap    T1 --> wake-word listener   EngineRequests   AudioSupervisor --> T1
///     VoiceSink      network thread --> T1       VolumeControls   VolumeController --> T1
///     MediaFeed      media player --> T1         EngineGauges     T1 --> whoever watches
///     AlignmentFeed  T1 <--> EchoAligner         EchoGauges       T1 --> whoever watches
///     EchoPathExchange  RoomMemory <--> T1
///     DeviceSlot     T1 <--> DeviceSupervisor    EchoTrace        T1 --> EchoTest
///
/// The engine holds them all; everyone else is given its own part by whoever puts the program together. Each part says who
/// writes and who reads each field. They are `let` rings and atomics: no lock, no reference counting in the cycle.
package struct AudioPorts: Sendable {
    package let microphone = MicrophoneTap()
    package let words = WakeWordTap()
    package let voice = VoiceSink()
    package let media = MediaFeed()

    package let requests = EngineRequests()
    package let earcons = EarconRequests()
    package let volumes = VolumeControls()

    package let gauges = EngineGauges()
    package let echo = EchoGauges()
    package let trace = EchoTrace()
    /// Both signals to whoever looks for the echo, and back what was found.
    package let alignment = AlignmentFeed()
    /// The echo path of before on its way to T1, and the one of now on its way to who keeps it.
    package let echoPath = EchoPathExchange()

    /// The microphone and the loudspeaker: how they fare, and the streams on their way to T1 and back.
    package let capture = DeviceSlot()
    package let playback = DeviceSlot()

    package init() {}
}
