internal import VoiceBase

/// The reach of a permission.
///
/// A workspace grant "this once" does not exist: the server keeps it for the whole conversation. Such a grant is recognised
/// by its tool or, if the server hides its tools, by a path that is a folder, so that the spoken reach is never too small.
extension JarvisPrompt.Approval {
    /// The choices, from the narrowest on, under the server's names.
    enum Choice: String, CaseIterable {
        case once, command, file, directory, pattern
        case repositoryRead = "repo_read"
        case repositoryWrite = "repo_write"
        case workspace
        case workspaceRemembered = "workspace_remember"
    }

    private static let grantingTool = "manage_workspace"

    /// The narrowest choice offered; nil if no known choice is offered.
    var narrowest: (choice: Choice, option: Option)? {
        for choice in Choice.allCases {
            if let option = options?.first(where: { $0.choice == choice.rawValue }) { return (choice, option) }
        }
        return nil
    }

    /// Whether the path is a folder: allowing "this file" and "this directory" is then the same.
    var isFolder: Bool {
        guard is_shell != true else { return false }
        if isWorkspaceByName { return true }
        let file = options?.first { $0.choice == Choice.file.rawValue }?.description
        let folder = options?.first { $0.choice == Choice.directory.rawValue }?.description
        return file != nil && file == folder
    }

    /// Whether any choice holds for the folder as long as the conversation lives.
    var isLasting: Bool {
        guard is_shell != true else { return false }
        return isWorkspaceByName || tool == nil && isFolder
    }

    private var isWorkspaceByName: Bool { is_workspace == true || tool == Self.grantingTool }

    /// Whether it writes; nil if the server does not say.
    private var isWriting: Bool? { is_workspace == true ? true : is_write }

    /// Describes the request, for instance `run this command: "rm -r x"`: the daemon's words around the agent's own, which
    /// are quoted.
    var request: String {
        let action = action.quoted
        if is_shell == true { return "run this command: \(action)" }
        let place = isFolder ? "folder" : "file"
        switch isWriting {
        case true?:
            return isLasting ? "read and change everything in the folder: \(action)" : "write the \(place): \(action)"
        case false?: return isLasting ? "read everything in the folder: \(action)" : "read the \(place): \(action)"
        case nil: return "use this: \(action)"
        }
    }

    /// How far a yes reaches beyond the request; nil if it holds only once.
    var reach: String? {
        guard let choice = narrowest?.choice else { return nil }
        if isLasting, choice != .workspaceRemembered {
            return "A yes holds for the whole folder, and for as long as this conversation with Jarvis lives."
        }
        let wider: String
        switch choice {
        case .once: return nil
        case .command: wider = "for the very same command later in this conversation"
        case .file: wider = "for this \(isFolder ? "folder" : "file") later in this conversation"
        case .directory: wider = "for everything in the same folder, later in this conversation"
        case .pattern: wider = "for every command of this kind in this repository, from now on"
        case .repositoryRead: wider = "for reading every file of this repository, from now on"
        case .repositoryWrite: wider = "for changing every file of this repository, from now on"
        case .workspace: wider = "for reading and changing everything in the folder, as long as this conversation lives"
        case .workspaceRemembered:
            wider = "for reading and changing everything in the folder, in this and every later conversation"
        }
        return "Jarvis cannot ask for less: a yes holds as well \(wider)."
    }
}
