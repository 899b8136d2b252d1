internal import CAlsa
internal import CLinux
internal import Glibc

extension ALSAStream {
    /// Recoveries in a row, without half a second of flowing frames between them, until the device counts as lost.
    private static let patience = 10
    private static let soundPeriods = 50
    /// Without any frame for this long the device counts as lost.
    private static let stallNanoseconds: UInt64 = 2_000_000_000

    /// Notes that frames moved.
    mutating func progressed() {
        lastProgress = clinux_monotonic_ns()
        goodPeriods += 1
        if goodPeriods > Self.soundPeriods { failures = 0 }
    }

    var isStalled: Bool { clinux_monotonic_ns() &- lastProgress > Self.stallNanoseconds }

    /// Brings the stream back to "prepared" after `code`, judged by its state.
    /// - Returns: 0, or the errno with which it is lost.
    mutating func recover(_ code: Int) -> Int32 {
        if code == -Int(ENODEV) || code == -Int(EBADF) { return ENODEV }
        failures += 1
        goodPeriods = 0
        if failures > Self.patience { return code == -Int(EPIPE) || code == 0 ? EIO : Int32(truncatingIfNeeded: -code) }
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_DISCONNECTED:
            return ENODEV
        case SND_PCM_STATE_SUSPENDED:
            // Resuming would play what is old by now; preparing works after every suspend.
            if snd_pcm_resume(pcm) == 0 { snd_pcm_drop(pcm) }
        case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING, SND_PCM_STATE_PAUSED:
            snd_pcm_drop(pcm)
        default:
            break
        }
        let prepared = snd_pcm_prepare(pcm)
        return prepared < 0 ? -prepared : 0
    }
}
