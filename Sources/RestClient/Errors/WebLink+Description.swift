// SPDX-License-Identifier: MIT

import RestEssentials

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
        MessageText.of("\(name)=\"\(Redaction.isSecret(name) ? Redaction.mask : Redaction.text(value))\"")
    }
}
