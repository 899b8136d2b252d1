internal import Crypto
internal import FoundationEssentials

/// One direction of an encrypted connection: the nonce counts the messages.
struct NoiseCipher {
    private let key: SymmetricKey
    private var count: UInt64 = 0

    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// nil after 2^64 messages.
    mutating func seal(_ plain: [UInt8], authenticating data: [UInt8] = []) -> [UInt8]? {
        guard let nonce, let box = try? ChaChaPoly.seal(plain, using: key, nonce: nonce, authenticating: data) else {
            return nil
        }
        count += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// nil if it was not sealed with this key, or is not the next message.
    mutating func open(_ sealed: [UInt8], authenticating data: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= 16, let nonce,
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)
            ), let plain = try? ChaChaPoly.open(box, using: key, authenticating: data)
        else { return nil }
        count += 1
        return Array(plain)
    }

    private var nonce: ChaChaPoly.Nonce? {
        guard count < .max else { return nil }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: count >> UInt64(8 * $0)) }
        return try? ChaChaPoly.Nonce(data: [0, 0, 0, 0] + bytes)
    }
}

/// The handshake Noise_NNpsk0_25519_ChaChaPoly_SHA256 (noiseprotocol.org, revision 34): a side that knows the key gets
/// two ciphers that no one else has. A value.
struct NoiseHandshake {
    enum Fault: Error {
        /// The other side has another key, or its message is damaged.
        case refused
    }

    /// The ciphers of a connection, as this side uses them.
    struct Ciphers {
        var sending: NoiseCipher
        var receiving: NoiseCipher
    }

    /// Length of the shared key, in bytes.
    static let keyLength = 32

    typealias Point = Curve25519.KeyAgreement.PublicKey

    let own = Curve25519.KeyAgreement.PrivateKey()
    private(set) var chain: [UInt8]
    private(set) var hash: [UInt8]
    var cipher = NoiseCipher(key: [])

    /// - Parameters:
    ///   - key: the shared key, `keyLength` bytes.
    ///   - prologue: the bytes that both sides exchanged before.
    init(key: [UInt8], prologue: [UInt8]) {
        chain = Array(SHA256.hash(data: Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8)))
        hash = chain
        mix(intoHash: prologue)
        let parts = mix(intoChain: key, count: 2)
        mix(intoHash: parts[0])
        cipher = NoiseCipher(key: parts[1])
    }

    /// The box's part: takes the first message, and returns the second one and the ciphers.
    mutating func answer(_ first: [UInt8]) throws(Fault) -> (second: [UInt8], ciphers: Ciphers) {
        let theirs = try take(first)
        let point = mixOwn()
        try agree(with: theirs)
        guard let tag = cipher.seal([], authenticating: hash) else { throw .refused }
        let keys = mix(intoChain: [], count: 1)
        return (
            point + tag,
            Ciphers(
                sending: NoiseCipher(key: keys[0]),
                receiving: NoiseCipher(key: chain)
            )
        )
    }

    // MARK: - Steps

    mutating func take(_ message: [UInt8]) throws(Fault) -> Point {
        guard message.count == 48 else { throw .refused }
        let point = try takePoint(message)
        let tag = Array(message.dropFirst(32))
        guard cipher.open(tag, authenticating: hash) != nil else { throw .refused }
        mix(intoHash: tag)
        return point
    }

    mutating func takePoint(_ message: [UInt8]) throws(Fault) -> Point {
        let bytes = Array(message.prefix(32))
        guard let point = try? Point(rawRepresentation: bytes) else { throw .refused }
        mixPoint(bytes)
        return point
    }

    mutating func mixOwn() -> [UInt8] {
        let bytes = Array(own.publicKey.rawRepresentation)
        mixPoint(bytes)
        return bytes
    }

    mutating func mixPoint(_ bytes: [UInt8]) {
        mix(intoHash: bytes)
        useNext(mix(intoChain: bytes, count: 1))
    }

    mutating func agree(with point: Point) throws(Fault) {
        // A point of small order has no secret: swift-crypto refuses it.
        guard let secret = try? own.sharedSecretFromKeyAgreement(with: point) else { throw .refused }
        useNext(mix(intoChain: secret.withUnsafeBytes { Array($0) }, count: 1))
    }

    mutating func useNext(_ parts: [[UInt8]]) { cipher = NoiseCipher(key: parts[0]) }

    mutating func mix(intoHash data: [UInt8]) { hash = Array(SHA256.hash(data: hash + data)) }

    /// Changes the chain, and returns `count` further keys.
    mutating func mix(intoChain data: [UInt8], count: Int) -> [[UInt8]] {
        let seed = Self.code(chain, data)
        chain = Self.code(seed, [1])
        var keys: [[UInt8]] = []
        for number in 0..<count { keys.append(Self.code(seed, (keys.last ?? chain) + [UInt8(number + 2)])) }
        return keys
    }

    private static func code(_ key: [UInt8], _ data: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
    }
}
