internal import Synchronization

/// The tools a run of the agent is using, as its events tell.
package struct JarvisActivity: Sendable, Equatable {
    private struct Tool: Sendable, Equatable {
        var id: String
        var name: String
        /// What the server says it does: the command or the path, in brackets.
        var info: String
    }

    /// More at once are not kept.
    private static let most = 16
    private var tools: [Tool] = []

    package init() {}

    mutating func began(_ id: String, name: String, info: String) {
        tools.removeAll { $0.id == id }
        tools.append(Tool(id: id, name: name, info: info))
        if tools.count > Self.most { tools.removeFirst() }
    }

    mutating func ended(_ id: String) { tools.removeAll { $0.id == id } }

    /// The one that was begun last, else nil.
    package var current: String? { tools.last?.name }

    /// The tool that wants to do this; nil where none or several may be meant.
    func tool(of action: String) -> String? {
        let named = Set(tools.filter { !action.isEmpty && $0.info.contains(action) }.map(\.name))
        if named.count == 1 { return named.first }
        let all = Set(tools.map(\.name))
        return named.isEmpty && all.count == 1 ? all.first : nil
    }

    /// "reading your mail", said of a tool by its name; nil for a tool that is not known. What is said goes to the
    /// voice model in the daemon's own name, so that nothing of the server's name for it is in there.
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

    /// Parts of the names that tools of other servers have.
    private static let telling: [(part: String, words: String)] = [
        ("mail", "reading your mail"), ("calendar", "looking at your calendar"), ("weather", "looking at the weather"),
        ("search", "searching"), ("browser", "reading a web page"), ("fetch", "fetching something"),
        ("memory", "trying to remember"), ("homeassistant", "seeing to the house"),
        ("home_assistant", "seeing to the house"),
    ]
}

/// Where the run under way shows what it is doing.
final class ActivityBoard: Sendable {
    private let activity = Mutex(JarvisActivity())

    func show(_ activity: JarvisActivity) { self.activity.withLock { $0 = activity } }

    var current: String? { activity.withLock { $0.current } }
}
