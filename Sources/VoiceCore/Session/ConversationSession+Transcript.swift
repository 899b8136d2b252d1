internal import VoiceBase
internal import VoiceConversation

/// Transcripts for the journal.
extension ConversationSession {
    /// Starts writing transcripts, or stops immediately; lines not yet written are then discarded.
    package func setTranscripts(_ areWanted: Bool) {
        guard log.transcripts != areWanted else { return }
        log.transcripts = areWanted
        transcriptTimer?.cancel()
        transcriptTimer = nil
        if !areWanted { for observer in observers { observer.transcript(nil) } }
        transcript = areWanted ? TranscriptAssembler(expectsUser: present.providesTranscripts) : nil
    }

    func transcribe(_ event: ConversationEvent?, _ effects: [ConversationEffect], at instant: Duration) {
        guard let lines = transcript?.handle(event, effects: effects, at: instant) else { return }
        for line in lines { write(line) }
        watchTranscript()
    }

    private func write(_ line: TranscriptLine) {
        var line = line
        if line.speaker == .voice { line.name = assistant?.name }
        log.write(line)
        for observer in observers { observer.transcript(line) }
    }

    /// Releases lines that wait for the user's words on a timer, without waiting for the next event.
    private func watchTranscript() {
        guard let due = transcript?.due else {
            transcriptTimer?.cancel()
            transcriptTimer = nil
            return
        }
        guard transcriptTimer == nil else { return }
        transcriptTimer = Task { [weak self] in
            guard (try? await Sleep.for(max(due - Monotonic.now(), .milliseconds(10)))) != nil else { return }
            await self?.releaseTranscript()
        }
    }

    private func releaseTranscript() {
        transcriptTimer = nil
        for line in transcript?.lines(at: Monotonic.now()) ?? [] { write(line) }
        watchTranscript()
    }

    func endTranscript() {
        transcriptTimer?.cancel()
        for line in transcript?.finish() ?? [] { write(line) }
    }
}
