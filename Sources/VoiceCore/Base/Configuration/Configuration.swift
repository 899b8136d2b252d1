/// All settings of the daemon, one property for each section of the file.
///
/// Each key is declared once, in the `Keys` of its section: name, default, range, whether a change takes effect at
/// once, and its documentation. It is read and written as a property of the section
/// (`configuration.audio.masterVolume`). An empty string means "not set" for every key whose documentation says so.
package struct Configuration: Sendable, Equatable {
    package var box = Box()
    package var audio = Audio()
    package var echo = Echo()
    package var service = Service()
    /// A section of each voice service, declared beside the service.
    package var services = ServiceSections()
    package var jarvis = Jarvis()
    package var activation = Activation()
    package var budget = Budget()
    package var media = Media()
    package var log = Log()
    /// The tables of wake words, by the word in plain form: "okay nabu".
    package var words: [String: Word] = [:]

    package init() {}
}

/// The sections of the voice services, by type. A service adds its own with
///
///     extension Configuration {
///         package var datagrid: Datagrid {
///             get { services[Datagrid.self] }
///             set { services[Datagrid.self] = newValue }
///         }
///     }
package struct ServiceSections: Sendable, Equatable {
    /// By name; a section without an entry has its default values.
    private var values: [String: any ConfigurationSection] = [:]

    package init() {}

    package subscript<Section: ConfigurationSection>(_: Section.Type) -> Section {
        get { values[Section.name] as? Section ?? Section() }
        set { values[Section.name] = newValue == Section() ? nil : newValue }
    }

    package static func == (left: Self, right: Self) -> Bool {
        func isEqual<Section: ConfigurationSection>(_ section: Section) -> Bool {
            right.values[Section.name] as? Section == section
        }
        return left.values.count == right.values.count && left.values.values.allSatisfy { isEqual($0) }
    }
}

/// The values of one section of the file that differ from the defaults declared in `Keys`.
///
///     extension Configuration.Audio {
///         package struct Keys: Sendable {
///             package let lockMemory = Setting("audio.lock_memory", true, "Keeps the program in memory.")
///         }
///     }
///     configuration.audio.lockMemory = false
@dynamicMemberLookup
package protocol ConfigurationSection: Sendable, Equatable {
    /// A struct with one `Setting` for each key, in the order of the sample file.
    associatedtype Keys: Sendable

    /// Name of the section: "audio" for the key "audio.input".
    static var name: String { get }
    /// The text above the section in the sample file.
    static var documentation: String { get }
    static var keys: Keys { get }
    /// Keys of earlier versions, by path: what to do instead, see `RetiredKeys`.
    static var retired: [String: String] { get }

    /// Values by path. A key that has its default value is absent, so that equal settings compare equal.
    var changes: [String: ConfigurationValue] { get set }

    init()
}

extension ConfigurationSection {
    package static var retired: [String: String] { [:] }

    package subscript<Value>(dynamicMember member: KeyPath<Keys, Setting<Value>>) -> Value {
        get {
            let setting = Self.keys[keyPath: member]
            return changes[setting.key.path].flatMap(setting.decode) ?? setting.builtIn
        }
        set {
            let setting = Self.keys[keyPath: member]
            self[setting.key] = setting.encode(newValue)
        }
    }

    /// The value that the owner chose; nil for the default.
    package func chosen<Value>(_ member: KeyPath<Keys, Setting<Value>>) -> Value? {
        let setting = Self.keys[keyPath: member]
        return changes[setting.key.path].flatMap(setting.decode)
    }

    /// The value of a key of this section, in the file's representation.
    package subscript(key: ConfigurationKey) -> ConfigurationValue {
        get { changes[key.path] ?? key.builtIn }
        set { changes[key.path] = newValue == key.builtIn ? nil : newValue }
    }
}
