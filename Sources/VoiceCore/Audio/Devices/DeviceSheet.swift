/// Everything known of one device, as shown by `jarvis-voiced devices`.
package struct DeviceSheet: Sendable, Equatable {
    package struct Side: Sendable, Equatable {
        package var direction: AudioDirection
        /// nil if it cannot be opened; `refusal` says why.
        package var abilities: DeviceAbilities?
        package var refusal: String?
        /// The parameters that the daemon would run it with.
        package var granted: String?
        /// How a microphone would be used.
        package var choice: CaptureChoice?
        /// Latency that it adds, if known; for a loudspeaker, next to the microphone of the same device.
        package var cost: DeviceCost?
        /// The step of the device in frames at 48 kHz.
        var step: Int?
    }

    package var entry: AudioDeviceEntry
    package var identity: CardIdentity?
    /// The line of the known device, whatever its number of channels.
    package var known: KnownDevices.Line?
    package var sides: [Side] = []

    /// Whether it works in one direction at least.
    package var isUsable: Bool { sides.contains { $0.refusal == nil } }

    /// Opens the device in each of its directions, twice: to query it, and as the daemon would.
    package static func look(
        at entry: AudioDeviceEntry,
        audio: AudioConfiguration,
        entries: [AudioDeviceEntry]
    ) async -> DeviceSheet {
        let identity = CardIdentity.of(entry.id, in: entries)
        var sheet = DeviceSheet(entry: entry, identity: identity)
        sheet.known = identity.flatMap { audio.knownDevices.lines(for: $0).first }
        for direction in [AudioDirection.capture, .playback] where entry.supports(direction) {
            let step = sheet.sides.first { $0.direction == .capture }?.step
            let request = audio.request(entry.id, direction)
            let side = await request.answer { look($0, entries, microphoneStep: step) }
            sheet.sides.append(side ?? Side(direction: direction, refusal: request.unanswered.description))
        }
        if let line = sheet.sides.lazy.compactMap({ $0.choice?.line }).first { sheet.known = line }
        return sheet
    }

    private static func look(
        _ request: DeviceRequest,
        _ entries: [AudioDeviceEntry],
        microphoneStep: Int?
    ) -> Side {
        var side = Side(direction: request.direction)
        do throws(AudioDeviceError) {
            side.abilities = try DeviceAbilities.look(at: request.name, direction: request.direction)
            let open = try request.open(among: entries)
            let parameters = open.stream.parameters
            let channels = "\(parameters.channels) channel" + (parameters.channels == 1 ? "" : "s")
            side.granted =
                "\(parameters.format) at \(parameters.rate) Hz, \(channels), periods of \(parameters.periodFrames) frames"
            side.step = parameters.step
            side.cost = parameters.cost(request, microphoneStep: microphoneStep)
            if let choice = open.choice {
                side.choice = choice
                if choice.plan.reference != nil { side.cost?.whole += CardReference.lead }
            }
        } catch {
            side.refusal = error.descriptionWithoutOthers
        }
        return side
    }

    // MARK: For people

    package var lines: [String] {
        var lines: [String] = []
        if let identity, identity.vendor != nil { lines.append("usb     \(usb(identity))") }
        for side in sides { lines += Self.lines(side) }
        return lines
    }

    private func usb(_ identity: CardIdentity) -> String {
        var text = "\(CardIdentity.hex(identity.vendor ?? 0)):\(CardIdentity.hex(identity.product ?? 0))"
        if let firmware = identity.firmware { text += ", firmware \(CardIdentity.version(firmware))" }
        guard let known else { return text + ", not in the table of known devices" }
        return text + ", \(known.title)" + (known.cancelsEcho ? ", cancels its own echo" : "")
    }

    private static func lines(_ side: Side) -> [String] {
        let name = side.direction == .capture ? "in " : "out"
        var lines: [String] = []
        if let abilities = side.abilities { lines.append("\(name)     \(abilities.text)") }
        if let refusal = side.refusal { lines.append("\(name)     not usable: \(refusal)") }
        if let granted = side.granted {
            lines.append("        runs with \(granted)" + (side.cost.map { "; \($0.text)" } ?? ""))
        }
        if let choice = side.choice { lines.append("        listens to \(choice.text)") }
        if let problem = side.choice?.problem { lines.append("        warning: \(problem)") }
        return lines
    }
}
