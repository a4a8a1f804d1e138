// SPDX-License-Identifier: MIT

public import JobGraphs

/// A selection of running calls.
///
/// ```swift
/// manager.calls.cancel(.tag("screen"))
/// ```
public struct CallSelection: Sendable {
    let contains: @Sendable (RunningCall) -> Bool

    /// All calls.
    public static let all = CallSelection { _ in true }

    /// One call.
    ///
    /// - Parameter id: The identifier that its events and its response have.
    /// - Returns: The selection.
    public static func call(_ id: CallID) -> CallSelection {
        CallSelection { $0.id == id }
    }

    /// The calls with an identifier set by ``CallConfigurable/callIdentifier(_:)``.
    ///
    /// - Parameter identifier: The identifier.
    /// - Returns: The selection.
    public static func identifier(_ identifier: String) -> CallSelection {
        CallSelection { $0.request.callIdentifier == identifier }
    }

    /// The calls with a tag (``CallConfigurable/tags(_:)``).
    ///
    /// - Parameter tag: The tag.
    /// - Returns: The selection.
    public static func tag(_ tag: String) -> CallSelection {
        CallSelection { $0.tags.contains(tag) }
    }

    /// The calls of an API operation.
    ///
    /// - Parameter alias: The alias of the operation.
    /// - Returns: The selection.
    public static func api<Model>(_ alias: APIAlias<Model>) -> CallSelection {
        CallSelection { $0.call.api == alias.rawValue }
    }

    /// The calls of a registered server.
    ///
    /// - Parameter alias: The alias of the server.
    /// - Returns: The selection.
    public static func server(_ alias: ServerAlias) -> CallSelection {
        CallSelection { $0.call.server == alias }
    }

    /// The calls of a group or a graph.
    ///
    /// - Parameter id: The identifier of the group.
    /// - Returns: The selection.
    public static func group(_ id: GroupID) -> CallSelection {
        CallSelection { $0.groupID == id }
    }

    /// The calls with a type of model, or with an optional of it, as that of the pages of a listing.
    ///
    /// - Parameter type: The type of the model.
    /// - Returns: The selection.
    public static func model<Model>(_ type: Model.Type) -> CallSelection {
        CallSelection { $0.model == Model.self || $0.model == Model?.self }
    }

    /// The calls that satisfy a predicate.
    ///
    /// - Parameter isChosen: Returns true for calls of the selection. It is called outside of any lock.
    /// - Returns: The selection.
    public static func matching(_ isChosen: @escaping @Sendable (RunningCall) -> Bool) -> CallSelection {
        CallSelection(contains: isChosen)
    }
}
