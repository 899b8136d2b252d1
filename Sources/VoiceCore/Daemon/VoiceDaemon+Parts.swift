internal import VoiceAgent
package import VoiceMedia
internal import VoiceSession

extension VoiceDaemon {
    /// Controls of the media player for buttons, scripts and the control socket; they do nothing if there is no player.
    package nonisolated var media: any MediaControls { player ?? NoMedia() }
}

extension JarvisAnswer {
    /// The same answer, with handles to the media it names for the speaking model.
    func named(to player: MediaPlayer) async -> Self {
        guard !media.isEmpty else { return self }
        var answer = self
        answer.offer = await player.keep(media, leftOut: leftOut)
        return answer
    }
}

extension ToolContext {
    /// Lets tools play media: media named in answers is stored under handles, and questions about media are sent to the
    /// agent together with what is playing and what was played.
    mutating func attach(_ player: MediaPlayer?) {
        guard let player else { return }
        media = player
        keepMedia = { await $0.named(to: player) }
        mediaContext = { await player.context() }
    }
}
