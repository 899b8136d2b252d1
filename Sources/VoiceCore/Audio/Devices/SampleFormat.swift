/// The supported sample formats of sound cards, little endian unless stated otherwise.
enum SampleFormat: CaseIterable, Sendable, CustomStringConvertible {
    case s16
    case s16big
    case s24
    /// 20 bits in the lower end of three bytes.
    case s20packed
    /// 24 bits packed into three bytes.
    case s24packed
    case s32
    case float

    /// ALSA's name, as its tools print it.
    var description: String {
        switch self {
        case .s16: "S16_LE"
        case .s16big: "S16_BE"
        case .s24: "S24_LE"
        case .s20packed: "S20_3LE"
        case .s24packed: "S24_3LE"
        case .s32: "S32_LE"
        case .float: "FLOAT_LE"
        }
    }

    var bytes: Int {
        switch self {
        case .s16, .s16big: 2
        case .s24packed, .s20packed: 3
        case .s24, .s32, .float: 4
        }
    }

    /// Returns one sample as a Float, full scale 1.
    @inline(__always)
    func decode(_ raw: UnsafeRawPointer) -> Float {
        switch self {
        case .s16:
            return Float(Int16(littleEndian: raw.loadUnaligned(as: Int16.self))) / 32_768
        case .s24:
            // The fourth byte may hold anything.
            let value = Int32(littleEndian: raw.loadUnaligned(as: Int32.self))
            return Float((value << 8) >> 8) / 8_388_608
        case .s16big:
            return Float(Int16(bigEndian: raw.loadUnaligned(as: Int16.self))) / 32_768
        case .s24packed:
            return Float(Int32(bitPattern: Self.packed(raw) << 8) >> 8) / 8_388_608
        case .s20packed:
            return Float(Int32(bitPattern: Self.packed(raw) << 12) >> 12) / 524_288
        case .s32:
            return Float(Int32(littleEndian: raw.loadUnaligned(as: Int32.self))) / 2_147_483_648
        case .float:
            let value = Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)))
            return value.isFinite ? value : 0
        }
    }

    /// Stores one sample, rounded and clipped to full scale.
    @inline(__always)
    func encode(_ value: Float, to raw: UnsafeMutableRawPointer) {
        let value = max(-1, min(1, value))
        switch self {
        case .s16:
            let integer = Int16(max(-32_768, min(32_767, (value * 32_768).rounded())))
            raw.storeBytes(of: integer.littleEndian, as: Int16.self)
        case .s24:
            let integer = Int32(max(-8_388_608, min(8_388_607, (value * 8_388_608).rounded())))
            raw.storeBytes(of: integer.littleEndian, as: Int32.self)
        case .s16big:
            let integer = Int16(max(-32_768, min(32_767, (value * 32_768).rounded())))
            raw.storeBytes(of: integer.bigEndian, as: Int16.self)
        case .s24packed:
            Self.pack(Int32(max(-8_388_608, min(8_388_607, (value * 8_388_608).rounded()))), to: raw)
        case .s20packed:
            Self.pack(Int32(max(-524_288, min(524_287, (value * 524_288).rounded()))), to: raw)
        case .s32:
            let integer = Int32(max(-2_147_483_648, min(2_147_483_520, value * 2_147_483_648)))
            raw.storeBytes(of: integer.littleEndian, as: Int32.self)
        case .float:
            raw.storeBytes(of: value.bitPattern.littleEndian, as: UInt32.self)
        }
    }

    @inline(__always)
    private static func packed(_ raw: UnsafeRawPointer) -> UInt32 {
        let low = UInt32(raw.load(as: UInt8.self)) | UInt32(raw.load(fromByteOffset: 1, as: UInt8.self)) << 8
        return low | UInt32(raw.load(fromByteOffset: 2, as: UInt8.self)) << 16
    }

    @inline(__always)
    private static func pack(_ integer: Int32, to raw: UnsafeMutableRawPointer) {
        raw.storeBytes(of: UInt8(truncatingIfNeeded: integer), as: UInt8.self)
        raw.storeBytes(of: UInt8(truncatingIfNeeded: integer >> 8), toByteOffset: 1, as: UInt8.self)
        raw.storeBytes(of: UInt8(truncatingIfNeeded: integer >> 16), toByteOffset: 2, as: UInt8.self)
    }

    /// Converts interleaved frames to mono.
    func decode(
        _ raw: UnsafeRawPointer,
        frames: Int,
        channels: Int,
        selection: ChannelSelection,
        into mono: UnsafeMutablePointer<Float>
    ) {
        let stride = bytes * channels
        switch selection {
        case .channel(let channel):
            let offset = bytes * max(0, min(channel, channels - 1))
            for frame in 0..<frames { mono[frame] = decode(raw + frame * stride + offset) }
        case .average:
            let share = 1 / Float(channels)
            for frame in 0..<frames {
                var sum: Float = 0
                for channel in 0..<channels { sum += decode(raw + frame * stride + channel * bytes) }
                mono[frame] = channels == 1 ? sum : sum * share
            }
        }
    }

    /// Encodes frames for a card with `channels` channels. The first two are left and right; any further one, or a single
    /// one, plays the mean.
    func encode(_ sound: UnsafePointer<StereoFrame>, frames: Int, channels: Int, into raw: UnsafeMutableRawPointer) {
        let stride = bytes * channels
        for index in 0..<frames {
            let frame = sound[index]
            let place = raw + index * stride
            if channels > 1 {
                encode(frame.left, to: place)
                encode(frame.right, to: place + bytes)
            }
            for channel in (channels > 1 ? 2 : 0)..<channels { encode(frame.mean, to: place + channel * bytes) }
        }
    }
}
