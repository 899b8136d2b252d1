/// The ports of the audio thread (T1): everything that it shares with the rest of the program, grouped by the other end.
///
///     MicrophoneTap  T1 --> network thread       EarconRequests   conversation, activation --> T1
///     WakeWordTap    T1 --> wake-word listener   EngineRequests   AudioSupervisor --> T1
///     VoiceSink      network thread --> T1       VolumeControls   VolumeController --> T1
///     MediaFeed      media player --> T1         EngineGauges     T1 --> any observer
///     AlignmentFeed  T1 <--> EchoAligner         SilenceOrders    anyone who stops the box --> T1
///     EchoPathExchange  RoomMemory <--> T1       DeviceSlot       T1 <--> DeviceSupervisor
///     Doorbell       T1 --> tasks that wait for it
///     AudioWaker     others --> T1, while it takes several periods together
///
/// The engine holds them all; the composition root gives everyone else only their part. Each part documents the writer and
/// the readers of each field. They are `let` rings, atomics and values `Published`: no lock and no reference counting in the
/// cycle.
package struct AudioPorts: Sendable {
    package let microphone = MicrophoneTap()
    package let words = WakeWordTap()
    package let voice = VoiceSink()
    package let media = MediaFeed()

    package let requests = EngineRequests()
    package let silence = SilenceOrders()
    package let earcons: EarconRequests
    package let volumes = VolumeControls()

    package let gauges = EngineGauges()
    /// Both signals to the delay search, and its corrections back.
    package let alignment = AlignmentFeed()
    /// The recalled echo path for T1, and the present one from T1.
    package let echoPath = EchoPathExchange()

    /// Health of microphone and loudspeaker, and the streams on their way to T1 and back.
    package let capture: DeviceSlot
    package let playback: DeviceSlot

    /// Rings when a task has something to attend to.
    package let bell = Doorbell()

    /// Ends the audio thread's wait for several periods.
    package let waker = AudioWaker()

    package init() {
        earcons = EarconRequests(waker: waker)
        capture = DeviceSlot(bell: bell, waker: waker)
        playback = DeviceSlot(bell: bell, waker: waker)
    }
}
