internal import NIOCore

/// Connections that fail before the upgrade.
extension RealtimeSimulator {
    /// Applies the opening's fault to a new connection; returns whether the connection has no further use.
    func spoil(_ channel: any Channel, _ opening: FaultPlan.Opening, _ attempt: Int) throws -> Bool {
        switch opening {
        case .hang(let reads):
            report(reads ? .hangsAtUpgrade : .hangsAtConnect)
            track(channel, attempt)
            if !reads { channel.setOption(.autoRead, value: false).whenFailure { _ in } }
            // A channel that does not read never sees the client leave.
            channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
        case .cut:
            report(.cutAtUpgrade)
            channel.eventLoop.scheduleTask(in: .milliseconds(Int64(attempt % 10))) { channel.close(promise: nil) }
        case .garbage:
            report(.garbageAtUpgrade)
            track(channel, attempt)
            channel.eventLoop.scheduleTask(in: .milliseconds(1)) {
                channel.writeAndFlush(ByteBuffer(string: "SSH-2.0-OpenSSH_9.2\r\n\r\n"), promise: nil)
            }
        case .sound, .refuse, .silent, .invalidKey, .rejectSettings, .lateSettings: return false
        }
        return true
    }
}
