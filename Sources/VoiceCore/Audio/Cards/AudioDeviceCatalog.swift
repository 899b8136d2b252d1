internal import CAlsa
internal import Glibc
internal import VoiceBase

/// A device that ALSA offers.
package struct AudioDeviceEntry: Sendable, Equatable {
    /// Name to open it by and to keep in a configuration: contains the card's id, which survives replugging, not its number.
    package var id: String
    /// The maker's name for it.
    package var name: String
    package var capture: Bool
    package var playback: Bool
    /// Card id, number and device number; nil for names that are not a card's own device ("default", "pulse").
    package var card: String?
    package var cardNumber: Int?
    package var device: Int?

    package init(
        id: String,
        name: String,
        capture: Bool,
        playback: Bool,
        card: String? = nil,
        cardNumber: Int? = nil,
        device: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.capture = capture
        self.playback = playback
        self.card = card
        self.cardNumber = cardNumber
        self.device = device
    }

    package func supports(_ direction: AudioDirection) -> Bool {
        direction == .capture ? capture : playback
    }
}

/// The available devices, and the resolution of names to devices.
package enum AudioDeviceCatalog {
    /// Returns the cards' own devices, followed by names that ALSA's configuration adds.
    package static func list() -> [AudioDeviceEntry] {
        calsa_silence()
        var entries = hardware()
        for hint in hints() where !entries.contains(where: { $0.id == hint.id }) { entries.append(hint) }
        return entries
    }

    /// Why ALSA cannot read its configuration files; then it finds no device at all. nil if it can.
    package static var configurationFault: AudioDeviceError? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2048) { buffer in
            guard let text = buffer.baseAddress, calsa_read_configuration(text, buffer.count) < 0 else { return nil }
            return .configuration(fault(in: String(cString: text)))
        }
    }

    /// Returns where the mistake is, according to ALSA's messages: "/home/x/.asoundrc, line 4: Unexpected end of file".
    static func fault(in messages: String) -> String? {
        let lines = messages.split(separator: "\n").map(String.init)
        // A file of the user is read as a text without a name, and named by a message of its own.
        var file: Substring?
        var mistake: (place: Substring, line: Substring, reason: String)?
        // A missing file is reported before the line that includes it.
        var missing: Substring?
        for line in lines {
            if let start = line.firstRange(of: "Cannot access file ") { missing = missing ?? line[start.upperBound...] }
            if let end = line.firstRange(of: " may be old or corrupted") { file = file ?? line[..<end.lowerBound] }
            let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard mistake == nil, parts.count == 4, Int(parts[1]) != nil, Int(parts[2]) != nil else { continue }
            mistake = (parts[0], parts[1], missing.map { "cannot include \"\($0)\": \(parts[3])" } ?? String(parts[3]))
        }
        guard let mistake else { return file.map { String($0).bounded(toBytes: 300) } }
        let place = ["", "_toplevel_"].contains(mistake.place) ? file : mistake.place
        return ((place.map { "\($0), " } ?? "") + "line \(mistake.line): \(mistake.reason)").bounded(toBytes: 300)
    }

    /// Returns the ALSA name that `request` means among `entries`. Pure.
    ///
    /// In order: "default", "null" or an id, unchanged; "hw:1,0" by numbers; a card id (its first device in this direction);
    /// a name with a colon, left to ALSA; a part of an id or name that matches exactly one device, in any case.
    package static func resolve(
        _ request: String,
        direction: AudioDirection,
        in entries: [AudioDeviceEntry]
    ) throws(AudioDeviceError) -> String {
        let usable = entries.filter { $0.supports(direction) }
        if ["default", "null"].contains(request) || usable.contains(where: { $0.id == request }) { return request }
        if let match = usable.first(where: { $0.cardNumber.map { "hw:\($0)" } == request && $0.device == 0 }) {
            return match.id
        }
        if let match = usable.first(where: { entry in
            guard let card = entry.cardNumber, let device = entry.device else { return false }
            return request == "hw:\(card),\(device)"
        }) {
            return match.id
        }
        let ofCard = usable.filter { $0.card == request }
        if let match = ofCard.min(by: { ($0.device ?? 0) < ($1.device ?? 0) }) { return match.id }
        if request.contains(":") { return request }
        let wanted = request.lowercased()
        let partial = usable.filter {
            $0.name.lowercased().contains(wanted) || $0.id.lowercased().contains(wanted)
                || ($0.card?.lowercased().contains(wanted) ?? false)
        }
        if partial.count == 1 { return partial[0].id }
        if partial.isEmpty || request.isEmpty {
            throw .notFound(device: request, direction: direction, known: usable.map(\.id))
        }
        throw .ambiguous(device: request, direction: direction, candidates: partial.map(\.id))
    }

    private static func hardware() -> [AudioDeviceEntry] {
        var entries: [AudioDeviceEntry] = []
        var card: Int32 = -1
        while snd_card_next(&card) == 0, card >= 0 {
            var control: OpaquePointer?
            guard snd_ctl_open(&control, "hw:\(card)", 0) == 0, let control else { continue }
            defer { snd_ctl_close(control) }
            var info: OpaquePointer?
            guard snd_ctl_card_info_malloc(&info) == 0, let info else { continue }
            defer { snd_ctl_card_info_free(info) }
            guard snd_ctl_card_info(control, info) == 0 else { continue }
            let id = String(cString: snd_ctl_card_info_get_id(info))
            let name = String(cString: snd_ctl_card_info_get_name(info))
            var device: Int32 = -1
            while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
                let playback = pcmName(control, device, SND_PCM_STREAM_PLAYBACK)
                let capture = pcmName(control, device, SND_PCM_STREAM_CAPTURE)
                guard playback != nil || capture != nil else { continue }
                entries.append(
                    AudioDeviceEntry(
                        id: "hw:CARD=\(id),DEV=\(device)", name: "\(name), \(playback ?? capture ?? "")",
                        capture: capture != nil, playback: playback != nil, card: id, cardNumber: Int(card),
                        device: Int(device)
                    )
                )
            }
        }
        return entries
    }

    private static func pcmName(_ control: OpaquePointer, _ device: Int32, _ stream: snd_pcm_stream_t) -> String? {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) == 0, let info else { return nil }
        defer { snd_pcm_info_free(info) }
        snd_pcm_info_set_device(info, UInt32(device))
        snd_pcm_info_set_subdevice(info, 0)
        snd_pcm_info_set_stream(info, stream)
        guard snd_ctl_pcm_info(control, info) == 0 else { return nil }
        return String(cString: snd_pcm_info_get_name(info))
    }

    /// Names that are not bound to a card. Those with a colon only repeat the cards in many variants.
    private static func hints() -> [AudioDeviceEntry] {
        var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &list) == 0, let list else { return [] }
        defer { snd_device_name_free_hint(list) }
        var entries: [AudioDeviceEntry] = []
        var index = 0
        while let hint = list[index] {
            index += 1
            guard let id = text(hint, "NAME"), !id.contains(":"), id != "null" else { continue }
            let direction = text(hint, "IOID")
            let name = (text(hint, "DESC") ?? id).split(separator: "\n").joined(separator: ", ")
            entries.append(
                AudioDeviceEntry(id: id, name: name, capture: direction != "Output", playback: direction != "Input")
            )
        }
        return entries
    }

    private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
        guard let value = snd_device_name_get_hint(hint, key) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }
}
