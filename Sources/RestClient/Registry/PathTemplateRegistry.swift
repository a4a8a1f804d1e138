// SPDX-License-Identifier: MIT

/// The default values of placeholders, registered for each path template; see ``RestClientManager/pathTemplates``.
///
/// ```swift
/// manager.pathTemplates["/api/hello/$0"] = ["$0": "guest"]
/// ```
public final class PathTemplateRegistry: Sendable {
    private let entries: Registry<String, [String: JSONValue]>

    /// Creates an empty table whose changes are counted.
    init(revision: RegistryRevision = RegistryRevision()) {
        entries = Registry([:], revision: revision)
    }

    /// The defaults of a template; assigning `nil` removes them.
    ///
    /// Whether the template is written with a leading slash does not matter.
    public subscript(template: PathTemplate) -> [String: JSONValue]? {
        get { entries[Self.canonical(template.source)] }
        set { entries[Self.canonical(template.source)] = newValue }
    }

    /// All templates with their defaults, as they stand at this moment.
    public var all: [String: [String: JSONValue]] {
        entries.all
    }

    /// All templates with their defaults, without copying the defaults.
    var snapshot: [String: Registered<[String: JSONValue]>] {
        entries.snapshot
    }

    /// Removes every template's defaults.
    public func removeAll() {
        entries.removeAll()
    }

    /// A template with its leading slash.
    static func canonical(_ source: String) -> String {
        source.hasPrefix("/") ? source : "/" + source
    }
}
