/// All keys of the configuration, in the order of the sample file.
package enum ConfigurationSchema {
    package static let keys = sections.flatMap(\.keys)

    package static func key(_ path: String) -> ConfigurationKey? { byPath[path] }

    private static let byPath = Dictionary(uniqueKeysWithValues: keys.map { ($0.path, $0) })

    /// The key that was probably meant, or nil if none is similar.
    package static func nearest(to path: String) -> String? {
        let name = path.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? path
        let near = EditDistance.nearest(to: path, in: keys.map(\.path), within: 3)
        return near ?? keys.first { $0.name == name }?.path
    }

    static func section(of key: ConfigurationKey) -> Section {
        guard let section = sections.first(where: { $0.name == key.section }) else {
            preconditionFailure("\(key.path) is of no section")
        }
        return section
    }

    package struct Section: Sendable {
        package let name: String
        /// The text above the section.
        package let documentation: String
        package let keys: [ConfigurationKey]
        let read: @Sendable (Configuration, ConfigurationKey) -> ConfigurationValue
        let write: @Sendable (inout Configuration, ConfigurationKey, ConfigurationValue) -> Void

        init<Values: ConfigurationSection>(
            _ member: any WritableKeyPath<Configuration, Values> & Sendable
        ) {
            name = Values.name
            documentation = Values.documentation
            keys = Mirror(reflecting: Values.keys).children.map { child in
                guard let setting = child.value as? any AnySetting, setting.key.section == Values.name else {
                    preconditionFailure(
                        "[\(Values.name)] declares \(child.label ?? "?"), which is no setting of its own"
                    )
                }
                return setting.key
            }
            read = { $0[keyPath: member][$1] }
            write = { $0[keyPath: member][$1] = $2 }
        }
    }
}
