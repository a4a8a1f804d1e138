// SPDX-License-Identifier: MIT

import RestEssentials

/// A value whose mirror has its description instead of its properties, so that `dump` and other uses of reflection show
/// no more than `print` does: no credentials, bodies or models.
package protocol MirroredByDescription: CustomStringConvertible, CustomReflectable {}

extension MirroredByDescription {
    /// The description, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self) }
}

extension InterimResponse: MirroredByDescription {
    /// The status and the header fields, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: nil) }
}

extension RawResponse: MirroredByDescription {
    /// The status, the header fields and the length of the body, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: body.count) }
}

extension WebLink: MirroredByDescription {
    /// The link as a header field has it, with the secrets of its URLs masked.
    public var description: String {
        let relation = relations.isEmpty ? [] : ["rel=\"\(relations.joined(separator: " "))\""]
        let anchor = anchor.map { ["anchor=\"\(Redaction.url($0))\""] } ?? []
        let attributes = relation + anchor + parameters.map(\.description)
        return MessageText.of((["<\(Redaction.url(target))>"] + attributes).joined(separator: "; "))
    }
}

extension WebLink.Parameter: MirroredByDescription {
    /// The name and the value, with secrets masked.
    package var description: String {
        MessageText.of("\(name)=\"\(Credentials.isSecret(name) ? Redaction.mask : Redaction.text(value))\"")
    }
}
