package import Logging
package import VoiceBase

/// Holds the volumes: passes them to the audio thread and the card's mixer, and remembers them across restarts.
///
/// A change is audible immediately and written one second later, with other changes made by then; `stop` writes immediately.
package actor VolumeController {
    private var settings: VolumeSettings
    private let controls: VolumeControls
    private let logger: Logger
    private let store: StateStore?
    private let mixer: (any MixerControl)?
    private let pause: Duration
    private var current: Volumes
    /// Whether anything was set; nothing is written before that.
    private var isChanged = false
    private var saving: Task<Void, Never>?
    private var mixerWorks = true
    /// Present upper limit of the master volume, in percent.
    private var ceiling = Volumes.range.upperBound

    package init(
        settings: VolumeSettings,
        controls: VolumeControls,
        logger: Logger,
        files: FileReader = .system,
        mixer: (any MixerControl)? = nil,
        pause: Duration = .seconds(1)
    ) {
        self.settings = settings
        self.controls = controls
        self.logger = logger
        store = settings.stateDirectory.map {
            StateStore($0 + "/volumes.toml", limit: 64 << 10, logger: logger, files: files)
        }
        self.pause = pause
        self.mixer = settings.mixer.isEmpty ? nil : mixer ?? ALSAMixer()
        current = settings.configured
    }

    package var volumes: Volumes { current }

    /// Reads the saved volumes and applies them.
    package func start() {
        current = restored()
        apply(masterChanged: true)
    }

    /// Sets a volume in percent, clamped to 0 ... 100.
    package func set(_ channel: VolumeChannel, percent: Int) {
        change { $0[channel] = percent }
    }

    /// Mutes everything, or unmutes it at the previous volumes.
    package func setMuted(_ muted: Bool) {
        change { $0.isMuted = muted }
    }

    /// Takes over edited values of the configuration; the others keep the volume that was set since.
    package func reconfigure(_ configured: Volumes) {
        let before = settings.configured
        settings.configured = configured
        change { volumes in
            for channel in VolumeChannel.allCases where configured[channel] != before[channel] {
                volumes[channel] = configured[channel]
            }
        }
    }

    /// Limits the master volume, in percent, without forgetting the one that was set.
    package func setCeiling(_ percent: Int) {
        guard percent != ceiling else { return }
        ceiling = percent
        apply(masterChanged: true)
    }

    /// Changes the microphone's gain until the next start, in dB, -20 ... 30.
    package func setCaptureGain(decibels: Double) { controls.setCaptureGain(decibels: decibels) }

    /// Writes what has not been written yet.
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
        isChanged = true
        guard store != nil, saving == nil else { return }
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
                try mixer.set(percent, at: place)
                controls.noteHardwareChange()
                mixerWorks = true
            } catch {
                if mixerWorks { logger.warning("audio.mixer: \(private: error); the volume is set in software") }
                mixerWorks = false
            }
        }
        controls.set(current, hardwareMaster: mixer != nil && mixerWorks)
    }

    private func restored() -> Volumes {
        let configured = settings.configured
        let found = store?.load {
            try SavedVolumes(parsing: $0, configuration: configured)
        } lost: { _ in
            "the saved volumes are lost; using those of the configuration"
        }
        return found?.value?.effective(configuration: configured) ?? configured
    }

    private func save() {
        guard isChanged, let store else { return }
        let text = SavedVolumes(volumes: current, configured: settings.configured).text
        store.save(Array(text.utf8), failing: "volumes are not remembered")
    }
}
