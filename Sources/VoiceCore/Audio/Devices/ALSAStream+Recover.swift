internal import CAlsa
internal import CLinux
internal import Glibc

extension ALSAStream {
    /// Recoveries in a row without a frame between them until the device counts as lost.
    private static let patience = 10

    /// Notes that frames moved.
    mutating func progressed() {
        lastProgress = clinux_monotonic_ns()
        failures = 0
    }

    /// Brings the stream back to "prepared" after `code`, judged by its state.
    /// - Returns: 0, or the errno with which it is lost.
    mutating func recover(_ code: Int) -> Int32 {
        if code == -Int(ENODEV) || code == -Int(EBADF) { return ENODEV }
        failures += 1
        if failures > Self.patience { return code == -Int(EPIPE) || code == 0 ? EIO : Int32(truncatingIfNeeded: -code) }
        lastProgress = clinux_monotonic_ns()
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
