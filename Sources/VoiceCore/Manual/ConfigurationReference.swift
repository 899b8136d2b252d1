internal import VoiceConfiguration

/// docs/configuration.md, made from the table of keys.
package enum ConfigurationReference {
    package static var text: String {
        var lines = [
            "# Configuration reference",
            "",
            "Every key, its default and what it accepts. To change one, put it into the configuration file under its section,",
            "set its environment variable (`audio.input` is `JARVIS_AUDIO_INPUT`), or pass `--set audio.input=NAME`. Defaults <",
            "file < environment < command line.",
            "",
            "The file is the one given with `--config`, else `~/.config/jarvis-voiced/jarvis-voiced.toml`, else",
            "`\(ConfigurationLoader.systemPath)`. `jarvis-voiced config check` names the file and line of a mistake;",
            "`jarvis-voiced config show` prints what is in force and where it came from.",
            "",
            "Keys marked *live* take effect with `systemctl reload jarvis-voiced`; the others need a restart. Secrets never",
            "stand in the file: keys that end in `_file` name files that hold them.",
            "",
            "This page is made from the table of keys in the program; `UPDATE_SAMPLE=1 swift test --filter ConfigurationReference`",
            "writes it anew.",
        ]
        for section in ConfigurationSchema.sections {
            lines += ["", "## `[\(section.name)]`", "", section.documentation]
            for key in ConfigurationSchema.keys where key.section == section.name {
                let live = key.isLive ? " (live)" : ""
                lines += [
                    "", "### `\(key.path)`\(live)", "", key.documentation, "",
                    "Default `\(key.builtIn.toml)`. Accepts \(key.kind.wanted).",
                ]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
