// SPDX-License-Identifier: MIT

extension RequestBody {
    init(_ encoded: EncodedBody) {
        self.init(content: .bytes(encoded.bytes), contentType: encoded.contentType)
    }
}
