internal import CAEC
package import VoiceBase

/// The rooms that survive a restart, newest first.
///
///     [room1]
///     microphone = "hw:CARD=Jabra,DEV=0"
///     loudspeaker = "hw:CARD=Jabra,DEV=0"
///     volume = 70         of the card's mixer, in percent
///     bias_ms = -1.92     how much earlier the echo comes than the card's delays say
///     peak = 0.31         value of the largest number of the path
///     path = "..."        base64 of 15360 numbers of 16 bits, low byte first
package struct SavedRooms: Sendable, Equatable {
    /// Most rooms kept: enough for several cards at more than one volume.
    package static let most = 4
    /// Largest file in bytes; a room takes 41 kB.
    package static let limit = 256 << 10

    package private(set) var rooms: [RememberedRoom] = []

    package init() {}

    /// Returns the room to start with: the one of these devices at the nearest volume. The level of the echo shows immediately.
    package func room(microphone: String, loudspeaker: String, volume: Int) -> RememberedRoom? {
        rooms.filter { $0.isOf(microphone, loudspeaker) }
            .min { ($0.volume - volume).magnitude < ($1.volume - volume).magnitude }
    }

    /// Keeps a room in place of the one of these devices at this volume; beyond `most`, the oldest is dropped. Ignores a path
    /// of the wrong length or with values that are not finite.
    package mutating func keep(_ room: RememberedRoom) {
        guard room.path.count == RememberedRoom.pathFrames, room.path.allSatisfy(\.isFinite), room.bias.isFinite else {
            return
        }
        rooms.removeAll { $0.isOf(room.microphone, room.loudspeaker) && $0.volume == room.volume }
        rooms.insert(room, at: 0)
        rooms = Array(rooms.prefix(Self.most))
    }

    /// Reads the text of the file. Unknown keys are ignored, as a newer version may have written them.
    package init(parsing bytes: [UInt8]) throws(Unreadable) {
        let values = try ConfigurationDocument(ofState: bytes).values
        guard values["schema"] == .integer(1) else { throw Unreadable("schema = 1 is missing") }
        for place in 1...Self.most where values["room\(place)"] != nil {
            guard let room = Self.room(values, "room\(place).") else {
                throw Unreadable("room\(place) is not devices, volume, bias_ms, peak and path")
            }
            rooms.append(room)
        }
    }

    private static let longestName = 200
    private static let longestBias = 2000.0
    private static let framesPerMillisecond = Double(AudioFormat.deviceRate) / 1000

    private static func room(_ values: [String: ConfigurationValue], _ prefix: String) -> RememberedRoom? {
        func number(_ key: String) -> Double? {
            switch values[prefix + key] {
            case .number(let value): value
            case .integer(let value): Double(value)
            default: nil
            }
        }
        guard case .text(let microphone)? = values[prefix + "microphone"], microphone.utf8.count <= longestName,
            case .text(let loudspeaker)? = values[prefix + "loudspeaker"], loudspeaker.utf8.count <= longestName,
            case .integer(let volume)? = values[prefix + "volume"], Volumes.range.contains(volume),
            let bias = number("bias_ms"), bias.magnitude <= longestBias,
            let peak = number("peak"), peak > 0, peak <= 1000,
            case .text(let text)? = values[prefix + "path"], let path = path(text, peak: Float(peak))
        else { return nil }
        return RememberedRoom(
            microphone: microphone, loudspeaker: loudspeaker, volume: volume, bias: bias * framesPerMillisecond,
            path: path
        )
    }

    private static func path(_ text: String, peak: Float) -> [Float]? {
        let text = Array(text.utf8)
        guard text.count == Base64.encodedCount(2 * RememberedRoom.pathFrames),
            let bytes = text.withUnsafeBytes({ Base64.bytes($0) }), bytes.count == 2 * RememberedRoom.pathFrames
        else { return nil }
        return (0..<RememberedRoom.pathFrames).map { index in
            let sample = Int16(bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)
            return Float(sample) / Float(Int16.max) * peak
        }
    }

    package var text: String {
        StateStore.header + rooms.enumerated().map { Self.text($1, place: $0 + 1) }.joined()
    }

    private static func text(_ room: RememberedRoom, place: Int) -> String {
        let peak = max(room.path.reduce(0) { max($0, $1.magnitude) }, 1e-6)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * room.path.count)
        for sample in room.path {
            let number = UInt16(bitPattern: Int16((sample / peak * Float(Int16.max)).rounded()))
            bytes.append(UInt8(truncatingIfNeeded: number))
            bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        }
        let bias = (room.bias / framesPerMillisecond * 1000).rounded() / 1000
        return """

            [room\(place)]
            microphone = \(quoted(room.microphone))
            loudspeaker = \(quoted(room.loudspeaker))
            volume = \(room.volume)
            bias_ms = \(bias)
            peak = \(peak)
            path = "\(Base64.text(bytes))"

            """
    }

    /// Returns an ALSA name as a TOML string.
    private static func quoted(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars.prefix(longestName) {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

/// The echo path of a pair of devices, so that a start need not learn it again.
package struct RememberedRoom: Sendable, Equatable {
    /// Samples of `path`, 320 ms at 48 kHz.
    package static let pathFrames = Int(CAEC_PATH_FRAMES)

    /// ALSA names of the devices that were open.
    package var microphone: String
    package var loudspeaker: String
    /// Volume of the card's own mixer in percent; 100 if the volume is set in software, which is not part of the path.
    package var volume: Int
    /// Frames at 48 kHz by which the echo came earlier than the card's delays say.
    package var bias: Double
    /// The echo path, starting 25 ms before the expected echo; `pathFrames` samples.
    package var path: [Float]

    package init(microphone: String, loudspeaker: String, volume: Int, bias: Double, path: [Float]) {
        self.microphone = microphone
        self.loudspeaker = loudspeaker
        self.volume = volume
        self.bias = bias
        self.path = path
    }

    func isOf(_ microphone: String, _ loudspeaker: String) -> Bool {
        self.microphone == microphone && self.loudspeaker == loudspeaker
    }
}
