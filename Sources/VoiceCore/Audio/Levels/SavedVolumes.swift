package import VoiceBase

/// The volumes that survive a restart.
///
///     [volume]        last volumes set, in percent
///     master = 40
///     muted = false
///     [configured]    the configuration at that time
///     master = 100
///
/// A volume whose configuration has been edited since then starts from the configuration again: the edit is newer.
package struct SavedVolumes: Sendable, Equatable {
    package var volumes: Volumes
    package var configured: Volumes

    package init(volumes: Volumes, configured: Volumes) {
        self.volumes = volumes
        self.configured = configured
    }

    /// Reads the text of the file. Missing keys take the values of `configuration`. Unknown keys are ignored, as a newer
    /// version may have written them.
    package init(parsing bytes: [UInt8], configuration: Volumes) throws(Unreadable) {
        volumes = configuration
        configured = configuration
        let document = try ConfigurationDocument(ofState: bytes)
        for entry in document.entries {
            switch (entry.path, entry.value) {
            case ("volume.muted", .flag(let flag)):
                volumes.isMuted = flag
            case (let path, .integer(let percent)):
                let parts = path.split(separator: ".")
                guard parts.count == 2, let channel = VolumeChannel(rawValue: String(parts[1])) else { continue }
                guard Volumes.range.contains(percent) else {
                    throw Unreadable("line \(entry.line): \(path) is not a percentage")
                }
                if parts[0] == "volume" { volumes[channel] = percent }
                if parts[0] == "configured" { configured[channel] = percent }
            case (let path, _) where path.hasPrefix("volume.") || path.hasPrefix("configured."):
                throw Unreadable("line \(entry.line): \(path) is not a percentage")
            default:
                continue
            }
        }
    }

    package var text: String {
        func lines(_ volumes: Volumes) -> String {
            VolumeChannel.allCases.map { "\($0.rawValue) = \(volumes[$0])\n" }.joined()
        }
        return StateStore.header + "[volume]\n" + lines(volumes) + "muted = \(volumes.isMuted)\n"
            + "\n[configured]\n" + lines(configured)
    }

    /// Returns the volumes to start with under the present `configuration`.
    package func effective(configuration: Volumes) -> Volumes {
        var result = volumes
        for channel in VolumeChannel.allCases where configured[channel] != configuration[channel] {
            result[channel] = configuration[channel]
        }
        return result
    }
}
