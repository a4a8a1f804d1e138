// SPDX-License-Identifier: MIT

import RestEssentials

/// The changes of a JSON object, as the body of a `PATCH` (RFC 7396, JSON merge patch).
///
/// ```swift
/// try await manager.request(.order).patch().body(MergePatch(["state": "paid", "note": nil])).ifMatch(order).send()
/// ```
///
/// A member that is absent stays as it is, `null` removes it, and any other value replaces it; objects are merged in
/// the same way, and lists replaced whole. A type of your own tells the three apart with a doubly optional property:
///
/// ```swift
/// struct OrderChange: Encodable {
///     var state: String?
///     var note: String?? = .none          // absent; .some(nil) is null, and "a text" is a value
/// }
/// try await manager.request(.order).patch().body(MergePatch(OrderChange(note: .some(nil)))).send()
/// ```
public struct MergePatch: RequestPayload {
    private let content: @Sendable () throws -> JSONValue

    /// Creates a patch from named values.
    ///
    /// - Parameter members: The values by name; ``JSONValue/null`` removes a member.
    public init(_ members: [String: JSONValue]) {
        content = { .object(members) }
    }

    /// Creates a patch from a model that has only what changes.
    ///
    /// - Parameter model: The model; it is encoded as JSON with ISO 8601 dates when the call is sent. One that is no
    ///   JSON object makes the call fail with ``RestClientError/Code-swift.struct/encodingFailed``.
    @_disfavoredOverload
    public init(_ model: some Encodable & Sendable) {
        content = { try Self.value(of: model) }
    }

    /// Creates the patch that makes one model of another.
    ///
    /// - Parameters:
    ///   - old: The model before the change.
    ///   - new: The model after the change.
    public init<Model: Encodable & Sendable>(from old: Model, to new: Model) {
        content = {
            let (old, new) = (try Self.value(of: old), try Self.value(of: new))
            // A patch could only replace the whole of another value.
            guard case .object = old, case .object = new else {
                throw NoObject()
            }
            return Self.difference(old, new)
        }
    }

    private struct NoObject: Error, CustomStringConvertible {
        var description: String { "a merge patch needs a JSON object, because any other value replaces the whole" }
    }

    /// Returns the body.
    public func requestBody() throws -> RequestBody {
        let value = try content()
        guard case .object = value else {
            throw NoObject()
        }
        return .bytes(try JSONText.data(of: value), contentType: "application/merge-patch+json")
    }

    private static func value(of model: some Encodable) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try JSONText.valueAsWritten(try encoder.encode(model))
    }

    /// Returns the patch that makes one value of another; members that are null after it are removed.
    static func difference(_ old: JSONValue, _ new: JSONValue) -> JSONValue {
        guard case .object(let before) = old, case .object(let after) = new else {
            return new
        }
        var patch: [String: JSONValue] = [:]
        for (name, value) in after where before[name] != value {
            patch[name] = before[name].map { difference($0, value) } ?? value
        }
        for name in before.keys where after[name] == nil {
            patch[name] = .null
        }
        return .object(patch)
    }
}

extension MergePatch: MirroredByDescription {
    /// The kind of the body, without its values.
    public var description: String { "a JSON merge patch" }
}

/// Operations on a JSON document, as the body of a `PATCH` (RFC 6902).
///
/// ```swift
/// try await manager.request(.order).patch()
///     .body(JSONPatch(.test("/version", 7), .replace("/state", "paid"), .add("/tags/-", "urgent")))
///     .send()
/// ```
///
/// The server does all of them, in order, or none. A place is a JSON pointer (RFC 6901): each name or index follows a
/// slash, `-` is the place behind the end of a list, and `~0` and `~1` stand for `~` and `/` in a name. One that is not
/// a pointer makes the call fail with ``RestClientError/Code-swift.struct/encodingFailed``, and nothing is sent.
public struct JSONPatch: RequestPayload {
    /// One operation.
    public struct Operation: Sendable, Hashable {
        fileprivate let name: String
        fileprivate let path: String
        fileprivate var from: String?
        fileprivate var value: JSONValue?

        /// Adds a member, replacing one of that name, or inserts an element into a list.
        public static func add(_ path: String, _ value: JSONValue) -> Operation {
            Operation(name: "add", path: path, value: value)
        }

        /// Removes a value, which must exist.
        public static func remove(_ path: String) -> Operation {
            Operation(name: "remove", path: path)
        }

        /// Replaces a value, which must exist.
        public static func replace(_ path: String, _ value: JSONValue) -> Operation {
            Operation(name: "replace", path: path, value: value)
        }

        /// Moves a value, which must exist, to another place.
        public static func move(_ from: String, to path: String) -> Operation {
            Operation(name: "move", path: path, from: from)
        }

        /// Copies a value, which must exist, to another place.
        public static func copy(_ from: String, to path: String) -> Operation {
            Operation(name: "copy", path: path, from: from)
        }

        /// Makes the whole patch fail unless a place has this value.
        public static func test(_ path: String, _ value: JSONValue) -> Operation {
            Operation(name: "test", path: path, value: value)
        }

        fileprivate func json() throws -> JSONValue {
            for pointer in [path, from].compactMap(\.self) where !Self.isPointer(pointer) {
                throw NoPointer(text: pointer)
            }
            var members: [String: JSONValue] = ["op": .string(name), "path": .string(path)]
            members["from"] = from.map(JSONValue.string)
            members["value"] = value
            return .object(members)
        }

        /// Returns true for an empty text, and for one of names behind slashes in which each `~` begins an escape (RFC
        /// 6901, section 3).
        private static func isPointer(_ text: String) -> Bool {
            guard !text.isEmpty else {
                return true
            }
            let parts = text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
            return text.utf8.first == UInt8(ascii: "/")
                && parts.dropFirst().allSatisfy { $0.first == UInt8(ascii: "0") || $0.first == UInt8(ascii: "1") }
        }
    }

    private struct NoPointer: Error, CustomStringConvertible {
        let text: String

        var description: String {
            let shown = MessageText.of(text, limit: MessageText.partLimit)
            return "'\(shown)' is not a JSON pointer; it begins with a slash, and writes ~ as ~0 and / in a name as ~1"
        }
    }

    private let operations: [Operation]

    /// Creates a patch.
    ///
    /// - Parameter operations: The operations, in order.
    public init(_ operations: Operation...) {
        self.operations = operations
    }

    /// Creates a patch.
    ///
    /// - Parameter operations: The operations, in order.
    public init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// Returns the body.
    public func requestBody() throws -> RequestBody {
        let value = JSONValue.array(try operations.map { try $0.json() })
        return .bytes(try JSONText.data(of: value), contentType: "application/json-patch+json")
    }
}

extension JSONPatch: MirroredByDescription {
    /// The number of operations, without their values.
    public var description: String { "a JSON patch of \(operations.count) operations" }
}
