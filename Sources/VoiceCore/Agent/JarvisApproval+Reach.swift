internal import VoiceBase

/// How far a permission reaches.
///
/// "This once" of a workspace grant is none: the server keeps it with the conversation. Such a grant is known by its tool,
/// and where the server shows no tools by a path that is a folder, so that what is said is never too little.
extension JarvisPrompt.Approval {
    /// What may be chosen, from the narrowest on; the names are the server's.
    enum Choice: String, CaseIterable {
        case once, command, file, directory, pattern
        case repositoryRead = "repo_read"
        case repositoryWrite = "repo_write"
        case workspace
        case workspaceRemembered = "workspace_remember"
    }

    private static let grantingTool = "manage_workspace"

    /// The least that can be allowed; nil where nothing is offered that is known.
    var narrowest: (choice: Choice, option: Option)? {
        for choice in Choice.allCases {
            if let option = options?.first(where: { $0.choice == choice.rawValue }) { return (choice, option) }
        }
        return nil
    }

    /// The path is a folder: to allow "this file" and "this directory" is then the same.
    var isFolder: Bool {
        guard is_shell != true else { return false }
        if isWorkspaceByName { return true }
        let file = options?.first { $0.choice == Choice.file.rawValue }?.description
        let folder = options?.first { $0.choice == Choice.directory.rawValue }?.description
        return file != nil && file == folder
    }

    /// Whatever is chosen holds for the folder, for as long as the conversation lives.
    var isLasting: Bool {
        guard is_shell != true else { return false }
        return isWorkspaceByName || tool == nil && isFolder
    }

    private var isWorkspaceByName: Bool { is_workspace == true || tool == Self.grantingTool }

    /// Reads, writes or runs; nil where the server does not say.
    private var isWriting: Bool? { is_workspace == true ? true : is_write }

    /// `run this command: "rm -r x"`, in the words of the daemon around the agent's own, which are quoted.
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

    /// What a yes means where that is more than what was asked for; nil for this once.
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
