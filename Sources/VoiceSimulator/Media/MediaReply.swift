/// How a media server answers one address.
package enum MediaReply: Sendable {
    /// A whole file.
    case file(type: String, [UInt8], headers: [String: String] = [:])
    case redirect(to: String)
    case status(Int)
    /// Promises more than it sends: closes the connection after so many bytes, or says nothing more.
    case broken(type: String, [UInt8], stalls: Bool)
    /// The same, but half a second later the connection is reset (RST), and the address has a whole file from then on.
    case reset(type: String, [UInt8], then: [UInt8])
    /// The bytes again and again as fast as they are taken, promising so many of them.
    case huge(type: String, [UInt8], length: Int)
    /// The bytes again and again, so many a tenth of a second; with titles between them (ICY) when there are any.
    case endless(type: String, [UInt8], bytesPerTick: Int, titles: [String])
    /// The bytes once, slowly.
    case drip(type: String, [UInt8], bytesPerTick: Int)
}
