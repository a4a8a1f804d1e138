// SPDX-License-Identifier: MIT

extension RequestBody {
    /// Creates the body that a dogma has encoded.
    init(_ encoded: EncodedBody) {
        self.init(content: .bytes(encoded.bytes), contentType: encoded.contentType)
    }
}
