/// How a media server answers one address.
package enum MediaReply: Sendable {
    /// A whole file.
    case file(type: String, [UInt8], headers: [String: String] = [:])
    case redirect(to: String)
    case status(Int)
    /// Promises more than it sends: closes the connection after so many bytes, or says nothing more.
    case broken(type: String, [UInt8], stalls: Bool)
    /// The bytes again and again, so many a tenth of a second; with titles between them (ICY) when there are any.
    case endless(type: String, [UInt8], bytesPerTick: Int, titles: [String])
    /// The bytes once, slowly.
    case drip(type: String, [UInt8], bytesPerTick: Int)
}
