extension Configuration {
    /// How the box is known in the house.
    package struct Box: ConfigurationSection {
        package static let name = "box"
        package static let documentation = "How the box is known in the house."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Box {
    package struct Keys: Sendable {
        package let name = Setting(
            "box.name",
            "",
            as: .text(mayBeEmpty: true),
            "What the household calls this box, such as \"Kitchen\"; \"\" for the name of the host. At most 40 characters are "
                + "shown: on the page, in watch, in the metrics, and to the agent. Phones find the page under it."
        )
    }
}
