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
    package var realtime = Realtime()
    package var live = Live()
    package var datagrid = Datagrid()
    package var local = Local()
    package var hero365 = Hero365()
    package var jarvis = Jarvis()
    package var activation = Activation()
    package var budget = Budget()
    package var media = Media()
    package var log = Log()
    /// The tables of wake words, by the word in plain form: "okay nabu".
    package var words: [String: Word] = [:]

    package init() {}
}

extension ConfigurationSchema {
    /// Sections in the order of the sample file.
    package static let sections = [
        Section(\.box), Section(\.audio), Section(\.echo), Section(\.service), Section(\.realtime), Section(\.live),
        Section(\.datagrid), Section(\.hero365), Section(\.local),
        Section(\.jarvis),
        Section(\.activation), Section(\.budget), Section(\.media), Section(\.log),
    ]
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

    /// Values by path. A key that has its default value is absent, so that equal settings compare equal.
    var changes: [String: ConfigurationValue] { get set }

    init()
}

extension ConfigurationSection {
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
    subscript(key: ConfigurationKey) -> ConfigurationValue {
        get { changes[key.path] ?? key.builtIn }
        set { changes[key.path] = newValue == key.builtIn ? nil : newValue }
    }
}
