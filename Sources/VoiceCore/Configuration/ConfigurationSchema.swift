package import VoiceBase
internal import VoiceSession

/// All keys of the configuration, in the order of the sample file.
package enum ConfigurationSchema {
    /// Sections in the order of the sample file.
    package static let sections =
        [Section(\.box), Section(\.audio), Section(\.echo), service]
        + ServiceRegistry.all.map { Section(of: $0.section) }
        + [Section(\.jarvis), Section(\.activation), Section(\.budget), Section(\.media), Section(\.log)]

    private static var service: Section {
        var section = Section(\.service)
        let names = ServiceRegistry.all.map { $0.name.rawValue }
        section.keys = section.keys.map { $0.path == "service.use" ? $0.choosing(names) : $0 }
        return section
    }

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
        package fileprivate(set) var keys: [ConfigurationKey]
        /// What to do instead of keys of earlier versions, by path.
        let retired: [String: String]
        let read: @Sendable (Configuration, ConfigurationKey) -> ConfigurationValue
        let write: @Sendable (inout Configuration, ConfigurationKey, ConfigurationValue) -> Void

        fileprivate init<Values: ConfigurationSection>(
            _ member: any WritableKeyPath<Configuration, Values> & Sendable
        ) {
            self.init(Values.self) {
                $0[keyPath: member][$1]
            } write: {
                $0[keyPath: member][$1] = $2
            }
        }

        /// The section of a service.
        fileprivate init<Values: ConfigurationSection>(of type: Values.Type) {
            self.init(type) {
                $0.services[type][$1]
            } write: {
                $0.services[type][$1] = $2
            }
        }

        private init<Values: ConfigurationSection>(
            _ type: Values.Type,
            read: @escaping @Sendable (Configuration, ConfigurationKey) -> ConfigurationValue,
            write: @escaping @Sendable (inout Configuration, ConfigurationKey, ConfigurationValue) -> Void
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
            retired = Values.retired
            self.read = read
            self.write = write
        }
    }
}
