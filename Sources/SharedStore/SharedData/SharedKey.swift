// SPDX-License-Identifier: MIT

public import RestEssentials

/// The name of a shared value, with its type and everything about how it is stored.
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
/// Values are stored as JSON, values of type `Data` as they are. Changing a key's codec later is possible at any time:
/// a stored value says how it was written. What a sealed codec is to read from others must be listed in
/// ``previousCodecs``; otherwise whoever can write to the file could pass a plain value off as a sealed one.
public struct SharedKey<Value: Codable & Sendable>: Sendable {
    /// Makes a value of the current schema out of the stored bytes of an older one.
    ///
    /// It receives the decoded bytes, JSON unless the value was `Data`, and their schema version; `nil` stands for no
    /// value.
    public typealias Migration = @Sendable (_ bytes: Data, _ schemaVersion: Int) throws -> Value?

    /// The name under which the value is stored; names are compared by their bytes.
    public let name: String

    /// What a read gives while no value is stored.
    public let defaultValue: Value?

    /// How long a value lasts after it was set; `nil` for ever.
    public let timeToLive: Duration?

    /// The version of the value's form; raise it when `Value` changes so that old bytes no longer decode.
    public let schemaVersion: Int

    /// How the value is encoded.
    public var codec: any StorageCodec { codecs.current }

    /// Further codecs whose values are accepted; they are written again with ``codec`` when read.
    public var previousCodecs: [any StorageCodec] { codecs.previous }

    let codecs: CodecSet
    let migration: Migration?

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored.
    ///   - defaultValue: What a read gives while no value is stored; the default is nothing.
    ///   - codec: How the value is encoded; the default is ``StorageCodec/identity``.
    ///   - previousCodecs: Further codecs whose values are accepted; the default is none. Plain and compressed values
    ///     are accepted without being listed, unless the codec is sealed.
    ///   - timeToLive: How long a value lasts after it was set; the default is for ever.
    ///   - schemaVersion: The version of the value's form, from 0 to 2³² - 1; the default is 1.
    ///   - migration: Reads values of older schema versions; the default is none, which makes such values an error.
    public init(
        _ name: String,
        default defaultValue: Value? = nil,
        codec: some StorageCodec = IdentityCodec(),
        previousCodecs: [any StorageCodec] = [],
        timeToLive: Duration? = nil,
        schemaVersion: Int = 1,
        migration: Migration? = nil
    ) {
        self.name = name
        self.defaultValue = defaultValue
        self.timeToLive = timeToLive
        self.schemaVersion = Int(UInt32(clamping: schemaVersion))
        self.migration = migration
        codecs = CodecSet(current: codec, previous: previousCodecs)
    }
}
