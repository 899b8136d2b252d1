import Glibc
import VoiceBase
import VoiceNetwork

/// A client for the Autobahn test suite: echoes every message of every case with its type, then requests the report.
///
///     websocket-echo ws://127.0.0.1:9001 AGENT
///     websocket-echo --probe wss://host:port/ [CA.pem]     opens one connection and prints the result
///     websocket-echo --flood wss://host:port/ [CA.pem]     fills the send queue, closes and prints the result
@main
struct WebSocketEcho {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let network = NetworkThread()
        do {
            try network.start()
        } catch {
            fail("\(error)")
        }
        let isGood: Bool
        if arguments.first == "--probe", let url = arguments.dropFirst().first {
            isGood = await probe(network, url: url, caFile: arguments.dropFirst(2).first)
        } else if arguments.first == "--flood", let url = arguments.dropFirst().first {
            var request = request(url, caFile: arguments.dropFirst(2).first)
            request.closeTimeout = .seconds(20)
            let result = await open(network, request, task: .flood)
            print("\(result.closure)")
            isGood = result.wasOpen
        } else if arguments.count == 2, let url = arguments.first, let agent = arguments.last {
            isGood = await runCases(network, url: url, agent: agent)
        } else {
            fail("usage: websocket-echo URL AGENT | --probe URL [CA.pem] | --flood URL [CA.pem]")
        }
        await network.stop()
        exit(isGood ? 0 : 1)
    }

    private static func request(_ url: String, caFile: String? = nil) -> WebSocketRequest {
        WebSocketRequest(
            url: url, limits: ConnectionLimits(whole: .seconds(10)), deadPeerLimit: .seconds(60), caFile: caFile
        )
    }

    private static func runCases(_ network: NetworkThread, url: String, agent: String) async -> Bool {
        let first = await open(network, request("\(url)/getCaseCount"))
        guard let text = first.lastText, let count = Int(text) else {
            print("no case count: \(first.closure)")
            return false
        }
        for number in 1...max(count, 1) {
            var next = request("\(url)/runCase?case=\(number)&agent=\(agent)")
            next.maximumPendingBytes = 64 << 20
            _ = await open(network, next)
            if number % 50 == 0 { print("\(number) of \(count) cases") }
        }
        let last = await open(network, request("\(url)/updateReports?agent=\(agent)"))
        print("\(count) cases; report: \(last.closure)")
        return true
    }

    private static func probe(_ network: NetworkThread, url: String, caFile: String?) async -> Bool {
        let result = await open(network, request(url, caFile: caFile), task: .close)
        print(result.wasOpen ? "open" : "\(result.closure)")
        return result.wasOpen
    }

    /// Opens a connection and returns when it has ended.
    private static func open(
        _ network: NetworkThread,
        _ request: WebSocketRequest,
        task: EchoDriver.Task = .echo
    ) async -> EchoDriver.Result {
        let result = Promise<EchoDriver.Result>()
        let handle = network.connect(request) { connection in
            EchoDriver(connection, task: task) { result.give($0) }
        }
        if handle == nil { fail("the network thread does not run") }
        return await result.wait()
    }

    private static func fail(_ text: String) -> Never {
        print("websocket-echo: \(text)")
        exit(2)
    }
}
