import VoiceAudio
import VoiceBase

extension AudioConfiguration {
    /// The defaults with another source, for a process that shares its machine: memory is not locked.
    init(source: AudioSource, realtimePriority: Int = Configuration.Audio().realtimePriority) {
        self.init()
        self.source = source
        self.realtimePriority = realtimePriority
        lockMemory = false
    }
}
