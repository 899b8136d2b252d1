package import Logging

/// Holds the volumes: gives them to the audio thread and the card's mixer, and remembers them across restarts.
///
/// A change is heard at once and written one second later, with what else has changed by then; `stop` writes at once.
package actor VolumeKeeper {
    private var settings: VolumeSettings
    private let pipes: AudioPipes
    private let logger: Logger
    private let files: FileReader
    private let mixer: (any MixerControl)?
    private let pause: Duration
    private var current: Volumes
    private var saved: Volumes?
    private var saving: Task<Void, Never>?
    private var mixerWorks = true
    /// The most that the master may be now, in percent.
    private var ceiling = Volumes.range.upperBound

    package init(
        settings: VolumeSettings,
        pipes: AudioPipes,
        logger: Logger,
        files: FileReader = .system,
        mixer: (any MixerControl)? = nil,
        pause: Duration = .seconds(1)
    ) {
        self.settings = settings
        self.pipes = pipes
        self.logger = logger
        self.files = files
        self.pause = pause
        self.mixer = settings.mixer.isEmpty ? nil : mixer ?? ALSAMixer()
        current = settings.configured
    }

    private var path: String? { settings.stateDirectory.map { $0 + "/volumes.toml" } }

    package var volumes: Volumes { current }

    /// Reads what was saved and puts it into force.
    package func start() {
        current = restored()
        saved = current
        apply(masterChanged: true)
        applyCapture()
    }

    /// Sets a volume in percent, held within 0 ... 100.
    package func set(_ channel: VolumeChannel, percent: Int) {
        change { $0[channel] = percent }
    }

    /// Silences everything or lets it sound again, at the volumes of before.
    package func setMuted(_ muted: Bool) {
        change { $0.isMuted = muted }
    }

    /// Takes over what was edited in the configuration; what was not keeps the volume that was set since.
    package func reconfigure(_ configured: Volumes) {
        let before = settings.configured
        settings.configured = configured
        change { volumes in
            for channel in VolumeChannel.allCases where configured[channel] != before[channel] {
                volumes[channel] = configured[channel]
            }
        }
    }

    /// Holds the master volume at most there, in percent, without forgetting the one that was set.
    package func setCeiling(_ percent: Int) {
        guard percent != ceiling else { return }
        ceiling = percent
        apply(masterChanged: true)
    }

    /// Writes what is not written yet.
    package func stop() {
        saving?.cancel()
        saving = nil
        save()
    }

    private func change(_ body: (inout Volumes) -> Void) {
        let before = current
        body(&current)
        guard current != before else { return }
        apply(masterChanged: current[.master] != before[.master] || current.isMuted != before.isMuted)
        guard path != nil, saving == nil else { return }
        let pause = pause
        saving = Task {
            try? await Task.sleep(for: pause)
            guard !Task.isCancelled else { return }
            saveLater()
        }
    }

    private func saveLater() {
        saving = nil
        save()
    }

    private func apply(masterChanged: Bool) {
        var current = current
        current[.master] = min(current[.master], ceiling)
        if let mixer, masterChanged {
            do {
                let percent = current.isMuted ? 0 : current[.master]
                let place = try MixerPlace(settings.mixer, device: settings.playbackDevice)
                try mixer.set(percent, at: place, direction: .playback)
                mixerWorks = true
            } catch {
                if mixerWorks { logger.warning("audio.mixer: \(error); the volume is set in software") }
                mixerWorks = false
            }
        }
        pipes.volumes.set(current, hardwareMaster: mixer != nil && mixerWorks)
    }

    private func applyCapture() {
        guard !settings.captureMixer.isEmpty else { return }
        do {
            let place = try MixerPlace(settings.captureMixer, device: settings.captureDevice)
            try (mixer ?? ALSAMixer()).set(settings.captureVolume, at: place, direction: .capture)
        } catch {
            logger.warning("audio.capture_mixer: \(error); the card's capture level stays as it is")
        }
    }

    private func restored() -> Volumes {
        guard let path else { return settings.configured }
        do {
            let bytes = try files.read(path, 64 << 10).bytes
            return try SavedVolumes(parsing: bytes, configuration: settings.configured)
                .effective(configuration: settings.configured)
        } catch FileReader.Fault.absent {
            return settings.configured
        } catch {
            logger.warning("the saved volumes are lost, starting with those of the configuration: \(path): \(error)")
            return settings.configured
        }
    }

    private func save() {
        guard let path, let saved, saved != current else { return }
        let text = SavedVolumes(volumes: current, configured: settings.configured).text
        do {
            try StateFile.write(Array(text.utf8), to: path)
        } catch {
            logger.warning("volumes are not remembered: \(error)")
        }
        // After a failure too: the next change tries again, not every second.
        self.saved = current
    }
}
