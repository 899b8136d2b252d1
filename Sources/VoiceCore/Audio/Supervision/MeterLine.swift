/// One line of a level meter for a terminal: a bar from -60 to 0 dBFS, the figures and a verdict.
package struct MeterLine: Sendable, Equatable {
    private static let width = 40
    private static let lowest = -600

    /// Tenths of dBFS.
    package var level: Int
    package var peak: Int
    package var isClipping: Bool
    /// Whether every sample has the same value, as from a device whose mute key is on.
    package var isConstant = false
    /// Why the microphone delivers nothing at present; nil if it does.
    package var absence: String?

    package init(level: Int, peak: Int, isClipping: Bool, isConstant: Bool = false) {
        self.level = level
        self.peak = peak
        self.isClipping = isClipping
        self.isConstant = isConstant
    }

    package init(_ reading: CaptureReading, isConstant: Bool, microphone: DeviceState = .running) {
        self.init(
            level: reading.level, peak: reading.heldPeak, isClipping: reading.isClipping,
            isConstant: isConstant || microphone.isConstant
        )
        // Without a device, the reading is that of the silence in its place.
        absence = self.isConstant ? nil : microphone.hint(.capture)
    }

    package var text: String {
        if let absence {
            return "[\(String(repeating: " ", count: Self.width))] no microphone: \(absence)"
        }
        let filled = Self.places(level)
        var bar = [Character](repeating: "#", count: filled)
        bar += [Character](repeating: "-", count: Self.width - filled)
        let mark = min(Self.width - 1, Self.places(peak))
        if mark >= filled { bar[mark] = "|" }
        return "[\(String(bar))] level \(Self.shown(level))  peak \(Self.shown(peak)) dBFS  \(verdict)"
    }

    /// Guidance for setting the gain. Speech that peaks between -30 and -6 dBFS leaves room for echo.
    package var verdict: String {
        if isConstant { return "silent: muted at the device?" }
        if isClipping || peak > -5 { return "clips" }
        if peak > -60 { return "loud" }
        if peak >= -300 { return "good" }
        return peak >= Self.quietest ? "quiet" : "very quiet"
    }

    /// Whether it is the level of speech: more than "very quiet".
    package var isHeard: Bool { !isConstant && absence == nil && peak >= Self.quietest }

    /// Lowest peak of speech that is merely quiet.
    private static let quietest = -500

    private static func places(_ tenths: Int) -> Int {
        max(0, min(width, (tenths - lowest) * width / -lowest))
    }

    private static func shown(_ tenths: Int) -> String {
        let whole = String((tenths - 5) / 10)
        return String(repeating: " ", count: max(0, 3 - whole.count)) + whole
    }
}
