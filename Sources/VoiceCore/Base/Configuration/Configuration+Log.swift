package import Logging

extension Configuration {
    /// What is written to the journal.
    package struct Log: ConfigurationSection {
        package static let name = "log"
        package static let documentation = "What is written to the journal."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Log {
    package struct Keys: Sendable {
        package let level = Setting(
            "log.level", Logger.Level.info, isLive: true, "Minimum level of the lines."
        )
        package let transcripts = Setting(
            "log.transcripts", false, isLive: true,
            "Writes what was said and answered to the journal, and shows the last lines on the page."
        )
    }
}
