// SPDX-License-Identifier: MIT

import RestEssentials

extension SharedData {
    /// The result of ``SharedData/reseal(with:previousCodecs:)``.
    public struct Resealing: Sendable, Equatable {
        /// The number of rewritten values.
        public var rewritten = 0

        /// The number of values that were already current.
        public var current = 0

        /// The names of values that none of the codecs can read.
        ///
        /// They were not changed.
        public var unreadable: [String] = []
    }

    /// Rewrites all values that were written with an older key or codec, so that the old one can be dropped.
    ///
    /// Values are also rewritten one by one when they are read with a key whose codec is newer. This method rewrites
    /// all of them, in the background and without their types, each in a small transaction. Values of codecs that are
    /// not listed stay as they are, and so does a value that is set meanwhile. Observers are not notified, because no
    /// value changes.
    ///
    /// ```swift
    /// let result = try await data.reseal(with: .sealed(newKey, previous: [oldKey]))
    /// if result.unreadable.isEmpty { forget(oldKey) }
    /// ```
    ///
    /// - Parameters:
    ///   - codec: The codec for rewritten values, including the keys that may open old ones.
    ///   - previousCodecs: Other codecs whose values are rewritten. Defaults to none.
    /// - Returns: The number of rewritten values, and the names of those that could not be read.
    /// - Throws: ``StoreError`` if the file cannot be read or written. Values rewritten before the error stay
    ///   rewritten.
    public func reseal(
        with codec: StorageCodec,
        previousCodecs: [StorageCodec] = []
    ) async throws(StoreError) -> Resealing {
        let codecs = CodecSet(current: codec, previous: previousCodecs)
        let identifiers = Set([codec.identifier] + previousCodecs.map(\.identifier))
        let backing: any Backing = try withBacking { backing throws(StoreError) in
            _ = try backing.usageNow(of: .shared)
            return backing
        }
        var result = Resealing()
        var next: RowPage? = RowPage()
        while let page = next {
            let rows = try await backing.summaries(in: .shared, page)
            for summary in rows {
                do throws(StoreError) {
                    guard let row = try await backing.row(summary.key, in: .shared) else {
                        continue
                    }
                    let envelope = try ValueEnvelope(row.value, key: summary.key)
                    guard identifiers.contains(envelope.codec) else {
                        continue
                    }
                    guard let step = try Self.rewriting(envelope, row, summary.key, codecs) else {
                        result.current += 1
                        continue
                    }
                    if try await backing.commit([step], in: .shared) != .conflict(steps: [0]) { result.rewritten += 1 }
                } catch  where error.isAboutValue {
                    result.unreadable.append(summary.key)
                }
            }
            next = page.next(after: rows)
        }
        return result
    }

    /// Returns the step that rewrites a value with the current codec; `nil` if it is current already.
    private static func rewriting(
        _ envelope: ValueEnvelope,
        _ row: Row,
        _ key: String,
        _ codecs: CodecSet
    ) throws(StoreError) -> RowStep? {
        let (bytes, isCurrent) = try codecs.decode(
            envelope.payload,
            identifier: envelope.codec,
            context: CodecContext(name: key, header: envelope.header)
        )
        if isCurrent { return nil }
        let header = try ValueEnvelope.header(
            serialization: envelope.serialization,
            schemaVersion: envelope.schemaVersion,
            codec: codecs.current.identifier,
            change: envelope.change,
            expiresAt: envelope.expiresAt
        )
        let payload = try codecs.encode(bytes, context: CodecContext(name: key, header: header))
        return .put(
            key: key,
            value: header + payload,
            attributes: row.attributes,
            condition: .version(row.version)
        )
    }
}

extension StoreError {
    /// A Boolean value that indicates whether the error concerns one value rather than the store.
    var isAboutValue: Bool {
        if underlying is OutOfMemory { return false }
        let codes: [Code] = [
            .wrongKey, .tampered, .unknownCodec, .decodingFailed, .truncatedInput, .invalidInput, .limitExceeded,
        ]
        return codes.contains(code) || ((code == .corrupt || code == .newerSchema) && sqliteCode == nil && key != nil)
    }
}
