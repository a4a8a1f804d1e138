// SPDX-License-Identifier: MIT

// Written out, because Swift's own description would show models and payloads.

extension ClientEvent: CustomStringConvertible {
    /// Call, group, what happened and to which request, without credentials.
    public var description: String {
        let ids = [callID?.description, groupID?.description].compactMap(\.self)
        let request = request.map { ["(\($0.description))"] } ?? []
        return (ids + [kind.description] + request).joined(separator: " ")
    }
}

extension ClientEvent.Kind: CustomStringConvertible {
    /// The name of the kind and what comes with it, without credentials; a model is named by its type only.
    public var description: String {
        ([name.rawValue] + details.map { "\($0.key.rawValue)=\($0.text)" }).joined(separator: " ")
    }
}
