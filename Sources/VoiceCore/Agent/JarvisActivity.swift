internal import Synchronization

/// The tools in use by a run of the agent, according to its events.
package struct JarvisActivity: Sendable, Equatable {
    private struct Tool: Sendable, Equatable {
        var id: String
        var name: String
        /// The server's description: the command or the path, in brackets.
        var info: String
    }

    /// Maximum number of tools kept.
    private static let most = 16
    private var tools: [Tool] = []

    mutating func began(_ id: String, name: String, info: String) {
        tools.removeAll { $0.id == id }
        tools.append(Tool(id: id, name: name, info: info))
        if tools.count > Self.most { tools.removeFirst() }
    }

    mutating func ended(_ id: String) { tools.removeAll { $0.id == id } }

    /// The tool started last; nil if none is running.
    package var current: String? { tools.last?.name }

    /// The tool that wants to perform this action; nil if none or several may be meant.
    func tool(of action: String) -> String? {
        let named = Set(tools.filter { !action.isEmpty && $0.info.contains(action) }.map(\.name))
        if named.count == 1 { return named.first }
        let all = Set(tools.map(\.name))
        return named.isEmpty && all.count == 1 ? all.first : nil
    }

    /// Describes a tool, for instance "reading your mail"; nil for an unknown tool. The words go to the voice model in the
    /// daemon's own name, so they contain nothing of the server's name for the tool.
    package static func words(for tool: String) -> String? {
        let name = String(tool.lowercased().prefix(60))
        if let known = exact[name] { return known }
        return telling.first { name.contains($0.part) }?.words
    }

    private static let exact = [
        "shell": "running a command", "read_file": "reading a file", "write_file": "writing a file",
        "edit_file": "changing a file", "grep": "looking through files", "glob": "looking through files",
        "web_search": "searching the web", "read_url": "reading a web page", "view_image": "looking at a picture",
        "image_generate": "making a picture", "spawn_agent": "waiting for another agent",
        "wait_for_agent": "waiting for another agent", "queue_agent": "handing work to another agent",
        "ask_user": "waiting for an answer", "manage_workspace": "asking for a folder",
        "update_plan": "planning", "activate_skill": "reading up on how it is done",
    ]

    /// Parts of the tool names of other servers.
    private static let telling: [(part: String, words: String)] = [
        ("mail", "reading your mail"), ("calendar", "looking at your calendar"), ("weather", "looking at the weather"),
        ("search", "searching"), ("browser", "reading a web page"), ("fetch", "fetching something"),
        ("memory", "trying to remember"), ("homeassistant", "seeing to the house"),
        ("home_assistant", "seeing to the house"),
    ]
}

/// Holds the activity of the current run.
final class ActivityBoard: Sendable {
    private let activity = Mutex(JarvisActivity())

    func show(_ activity: JarvisActivity) { self.activity.withLock { $0 = activity } }

    var current: String? { activity.withLock { $0.current } }
}
