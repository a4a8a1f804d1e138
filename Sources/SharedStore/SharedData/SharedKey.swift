// SPDX-License-Identifier: MIT

public import RestEssentials

/// The name of a shared value, with its type and the way it is stored.
///
/// Declare keys as static members, so that call sites read like `data.value(for: .session)`:
///
/// ```swift
/// extension SharedKey where Value == Session {
///     static var session: Self { .init("session", codec: .gzipSealed(key)) }
/// }
/// extension SharedKey where Value == Int {
///     static var launches: Self { .init("launches", default: 0) }
/// }
/// ```
///
/// Values are stored as JSON; values of type `Data` are stored as they are. A key's codec may be changed at any time,
/// because a stored value says how it was written. A sealed codec reads values of other codecs only if these are listed
/// as previous ones. Otherwise anyone who can write to the file could pass off a plain value as a sealed one.
public struct SharedKey<Value: Codable & Sendable>: Sendable {
    /// Converts the stored bytes of an older schema to a value of the current one.
    ///
    /// It receives the decoded bytes, which are JSON unless the value was `Data`, and their schema version. `nil` means
    /// no value.
    public typealias Migration = @Sendable (_ bytes: Data, _ schemaVersion: Int) throws -> Value?

    /// The name of the value.
    ///
    /// Names are compared by their bytes.
    public let name: String
    let defaultValue: Value?
    let timeToLive: Duration?

    /// The schema version of the value.
    ///
    /// Raise it if `Value` changes in such a way that old bytes cannot be decoded.
    let schemaVersion: Int

    /// The codec of the value, and others whose values are accepted; these are rewritten when they are read.
    let codecs: CodecSet
    let migration: Migration?

    /// Detects older copies of the value; `nil` if that is not asked for.
    let rollbackGuard: RollbackGuard?

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - defaultValue: The value that reads return while none is stored. Defaults to `nil`.
    ///   - codec: The codec of the value. Defaults to ``StorageCodec/identity``.
    ///   - previousCodecs: Other codecs whose values are accepted. Defaults to none. Plain and compressed values
    ///     are accepted without being listed, unless the codec is sealed.
    ///   - timeToLive: The time after which a set value expires. Defaults to never.
    ///   - schemaVersion: The schema version of the value, from 0 to 2³² - 1. Defaults to 1.
    ///   - migration: Converts values of older schema versions. Defaults to none: such values are an error.
    ///   - rollbackGuard: Detects that the value was replaced by an older copy of itself. It needs a sealed codec.
    ///     Defaults to none.
    public init(
        _ name: String,
        default defaultValue: Value? = nil,
        codec: StorageCodec = .identity,
        previousCodecs: [StorageCodec] = [],
        timeToLive: Duration? = nil,
        schemaVersion: Int = 1,
        migration: Migration? = nil,
        rollbackGuard: RollbackGuard? = nil
    ) {
        self.name = name
        self.defaultValue = defaultValue
        self.timeToLive = timeToLive
        self.schemaVersion = Int(UInt32(clamping: schemaVersion))
        self.migration = migration
        self.rollbackGuard = rollbackGuard
        codecs = CodecSet(current: codec, previous: previousCodecs)
    }
}
