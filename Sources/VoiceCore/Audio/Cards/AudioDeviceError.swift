internal import CAlsa
internal import Glibc
package import VoiceBase

/// Why sound does not work, in one line that names the device and a remedy.
package enum AudioDeviceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No device of that name. `known`: ids that exist in this direction.
    case notFound(device: String, direction: AudioDirection, known: [String])
    /// The device exists in the other direction only.
    case oneSided(device: String, direction: AudioDirection)
    /// "default" leads to no card. `files`: configuration files of ALSA that exist and may define it.
    case defaultLeadsNowhere(direction: AudioDirection, files: [String])
    /// ALSA cannot read its configuration files. `fault`: where the mistake is, if known.
    case configuration(_ fault: String?)
    /// The name matches several devices.
    case ambiguous(device: String, direction: AudioDirection, candidates: [String])
    /// Another program has it open; `holder` is "name (pid)", nil if unknown.
    case busy(device: String, direction: AudioDirection, holder: String?)
    /// The user may not open it.
    case permission(device: String, direction: AudioDirection)
    /// The device lacks a necessary ability.
    case unsupported(device: String, direction: AudioDirection, reason: String)
    /// Another refusal.
    case failed(device: String, direction: AudioDirection, step: String, errno: Int32)
    /// A sound file cannot be used.
    case file(path: String, reason: String)
    /// The thread cannot be started.
    case thread(errno: Int32)
    /// The signal processing cannot be set up.
    case processing(String)

    package var description: String {
        switch self {
        case .notFound(let device, let direction, let known) where known.contains(device):
            return "\(direction) device \"\(device)\" " + Self.absent(device, direction)
        case .notFound(let device, let direction, let known):
            let list = known.isEmpty ? "there are none" : "there are: \(known.joined(separator: ", "))"
            let why = Self.package(of: device).map { "install \($0) for a device of this name" } ?? Self.usualReasons
            return "no \(direction) device \"\(device)\": \(list) (\(why))"
        case .oneSided(let device, let direction):
            return direction == .capture
                ? "device \"\(device)\" has no microphone: name another one in audio.input"
                : "device \"\(device)\" has no loudspeaker: name another one in audio.output"
        case .defaultLeadsNowhere(let direction, let files):
            let side = direction == .capture ? "microphone" : "loudspeaker"
            let what =
                "\(direction) device \"default\" leads to no card with a \(side): none is connected, or this user is not in "
                + "group audio"
            guard !files.isEmpty else { return what }
            let key = direction == .capture ? "audio.input" : "audio.output"
            return what
                + ", or \(files.joined(separator: " or ")) makes \"default\" of a card that is not there or of a plugin "
                + "that is not installed: correct that, or set \(key)"
        case .configuration(let fault):
            let place = fault.map { " (\($0))" } ?? ""
            return
                "ALSA cannot read its configuration\(place), so there are no devices: correct \(Self.files), or move the "
                + "file aside"
        case .ambiguous(let device, let direction, let candidates):
            return
                "\(direction) device \"\(device)\" could be any of \(candidates.joined(separator: ", ")): name one of "
                + "them"
        case .busy(let device, let direction, let holder):
            let who = holder.map { "is in use by \($0)" } ?? "is in use by another program"
            return "\(direction) device \"\(device)\" \(who): \(Self.wayToShare(device, holder: holder))"
        case .permission(let device, let direction):
            return "no permission to open \(direction) device \"\(device)\": add this user to group audio"
        case .unsupported(let device, let direction, let reason):
            return "\(direction) device \"\(device)\" \(reason)"
        case .failed(let device, let direction, "open", let errno) where Self.openings[errno] != nil:
            return "\(direction) device \"\(device)\" \(Self.openings[errno] ?? "")"
        case .failed(let device, let direction, let step, let errno):
            return "\(direction) device \"\(device)\": \(step): \(Self.text(errno))"
        case .file(let path, let reason):
            return "\(path): \(reason)"
        case .thread(let errno):
            return "the audio thread does not start: \(Self.text(errno))"
        case .processing(let reason):
            return reason
        }
    }

    /// The description without the names of other devices.
    package var descriptionWithoutOthers: String {
        guard case .notFound(let device, let direction, let known) = self, !known.contains(device) else {
            return description
        }
        return
            "no \(direction) device \"\(device)\" (\(Self.package(of: device).map { "install \($0)" } ?? Self.usualReasons))"
    }

    private static let files = "~/.asoundrc or /etc/asound.conf"

    /// Explains why a device cannot be opened for these reasons, with the fix.
    private static let openings: [Int32: String] = {
        let silent = "does not answer: unplug it and plug it in again, or restart the sound server behind it"
        let serverless = "does not open: the sound server behind it does not run for this user"
        return [
            EIO: silent, ETIMEDOUT: silent, ECONNREFUSED: serverless, EHOSTDOWN: serverless,
            EINVAL: "does not open as \(files) defines it: with a mistake, or by a card that is not connected",
        ]
    }()

    private static let usualReasons = "card off, unplugged, or the user not in group audio?"

    /// Why a name that ALSA lists cannot be opened: a card's own name, or one of ALSA's configuration, which may lead anywhere.
    private static func absent(_ device: String, _ direction: AudioDirection) -> String {
        guard !device.contains(":") else { return "is not connected: switch the card on or plug it in" }
        if let package = package(of: device) {
            return "does not open: install \(package), and see that the server runs"
        }
        let side = direction == .capture ? "microphone" : "loudspeaker"
        return
            "does not open: the card it leads to is off, unplugged or has no \(side), or its ALSA plugin is not installed "
            + "(libasound2-plugins, pipewire-alsa)"
    }

    /// The package with the ALSA plugin that gives a device its usual name.
    private static func package(of device: String) -> String? {
        switch device {
        case "pulse": "libasound2-plugins"
        case "pipewire": "pipewire-alsa"
        default: nil
        }
    }

    /// Whether no device of that name exists at present.
    var isAbsence: Bool {
        switch self {
        case .notFound, .oneSided, .defaultLeadsNowhere: true
        default: false
        }
    }

    /// Whether the user must change something before it can work.
    var isOfTheConfiguration: Bool {
        switch self {
        case .ambiguous, .unsupported, .permission, .configuration: true
        default: false
        }
    }

    /// The error for a refusal to open or set up a device, from ALSA's negative code.
    static func from(_ code: Int32, device: String, direction: AudioDirection, step: String) -> AudioDeviceError {
        switch -code {
        case EBUSY:
            .busy(
                device: device, direction: direction, holder: DeviceHolder().find(device: device, direction: direction)
            )
        case EACCES, EPERM:
            .permission(device: device, direction: direction)
        case ENODEV, ENOENT, ENXIO:
            // ENOENT is also the result of a configuration that includes a file which is not there.
            AudioDeviceCatalog.configurationFault ?? absence(of: device, direction)
        case EINVAL where step == "open":
            // Also the result of names such as "hdmi:" and "hw:Jabra" if there is no such card.
            AudioDeviceCatalog.configurationFault
                ?? (device.contains(":") && KernelDeviceName(device).card == nil || device == "default"
                    ? absence(of: device, direction)
                    : .failed(device: device, direction: direction, step: step, errno: EINVAL))
        default:
            .failed(device: device, direction: direction, step: step, errno: -code)
        }
    }

    private static func absence(of device: String, _ direction: AudioDirection) -> AudioDeviceError {
        absence(of: device, direction, among: AudioDeviceCatalog.list())
    }

    /// - Parameter entries: the devices that exist.
    static func absence(
        of device: String,
        _ direction: AudioDirection,
        among entries: [AudioDeviceEntry]
    ) -> AudioDeviceError {
        if device == "default" { return .defaultLeadsNowhere(direction: direction, files: definitions()) }
        if entries.contains(where: { $0.id == device && !$0.supports(direction) }) {
            return .oneSided(device: device, direction: direction)
        }
        return .notFound(
            device: device,
            direction: direction,
            known: entries.filter { $0.supports(direction) }.map(\.id)
        )
    }

    /// Returns the files that may define "default" and exist.
    private static func definitions() -> [String] {
        let home = getenv("HOME").map { String(cString: $0) } ?? "/nonexistent"
        return [
            (path: home + "/.asoundrc", name: "~/.asoundrc"),
            (home + "/.config/alsa/asoundrc", "~/.config/alsa/asoundrc"), ("/etc/asound.conf", "/etc/asound.conf"),
        ].filter { access($0.path, F_OK) == 0 }.map(\.name)
    }

    /// Advice on a device that another program holds. A sound server lets others in through `default`. Other programs
    /// that hold the card itself do not: a shared device opens only if they use one too.
    package static func wayToShare(_ device: String, holder: String?) -> String {
        let servers = ["pipewire", "wireplumber", "pulseaudio"]
        if let holder, servers.contains(where: holder.hasPrefix) {
            return "that sound server shares the card: use \"default\" as the user it runs for, or stop it"
        }
        let shared = ["default", "sysdefault", "dmix", "dsnoop", "plug:dmix", "plug:dsnoop", "plug:default"]
        if shared.contains(where: { device == $0 || device.hasPrefix($0 + ":") }) {
            return "stop that program, or let it use \"\(device)\" too"
        }
        return "stop that program, or let both use a shared device such as \"default\""
    }

    private static func text(_ errno: Int32) -> String {
        if errno == ETIMEDOUT { return "no sound passes; it is muted by a key of its own, or stuck: unplug it" }
        guard let text = snd_strerror(-errno) else { return "error \(errno)" }
        return String(cString: text)
    }
}

/// Microphone or loudspeaker.
package enum AudioDirection: String, Sendable, Equatable, CustomStringConvertible {
    case capture
    case playback

    package var description: String { rawValue }
}

extension AudioDeviceError {
    /// Exit status if the program cannot continue without the device.
    package var exitCode: ExitCode {
        switch self {
        case .permission: .noPermission
        case .ambiguous, .unsupported, .configuration: .configuration
        case .processing: .unavailable
        case .thread: .system
        case .notFound, .oneSided, .defaultLeadsNowhere, .busy, .failed, .file: .inputOutput
        }
    }
}
