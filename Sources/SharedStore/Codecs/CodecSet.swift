// SPDX-License-Identifier: MIT

import RestEssentials

/// The codecs that may have written a value: the current one, previous ones, and the plain ones.
///
/// A plain or compressed value is not accepted in place of a sealed one, unless its codec is listed: otherwise anyone
/// who can write to the file could replace a sealed value with a forged one.
struct CodecSet: Sendable {
    let current: StorageCodec
    var previous: [StorageCodec] = []

    /// Decodes bytes with the codec that wrote them, if it is accepted.
    ///
    /// Several codecs may share an identifier and differ in their keys. The first one with the right key is used.
    func decode(
        _ data: Data,
        identifier: String,
        context: CodecContext
    ) throws(StoreError) -> (data: Data, isCurrent: Bool) {
        if current.identifier == identifier {
            do throws(StoreError) {
                return (try Self.decode(data, current, context), current.isCurrent(data))
            } catch  where error.code == .wrongKey && previous.contains(where: { $0.identifier == identifier }) {
            }
        }
        var failure: StoreError?
        for codec in candidates(identifier) {
            do throws(StoreError) {
                return (try Self.decode(data, codec, context), false)
            } catch  where error.code == .wrongKey {
                failure = error
            }
        }
        throw failure
            ?? StoreError(
                .unknownCodec,
                "the value was written with the codec \"\(identifier)\", which is not accepted here",
                key: context.name
            )
    }

    private func candidates(_ identifier: String) -> [StorageCodec] {
        let listed = previous.filter { $0.identifier == identifier }
        guard listed.isEmpty, !current.isSealed else {
            return listed
        }
        return switch identifier {
        case "identity": [.identity]
        case "gzip": [.gzip]
        default: []
        }
    }

    private static func decode(
        _ data: Data,
        _ codec: StorageCodec,
        _ context: CodecContext
    ) throws(StoreError) -> Data {
        try StoreError.wrapping(.decodingFailed, "the codec \"\(codec.identifier)\" failed", key: context.name) {
            try codec.decode(data, context: context)
        }
    }

    func encode(_ data: Data, context: CodecContext) throws(StoreError) -> Data {
        try StoreError.wrapping(.encodingFailed, "the codec \"\(current.identifier)\" failed", key: context.name) {
            try current.encode(data, context: context)
        }
    }
}
