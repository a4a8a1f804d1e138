// SPDX-License-Identifier: MIT

import JobGraphs

// Written explicitly, because Swift's default description would show models and payloads.

extension ClientEvent: MirroredByDescription {
    /// The call, the group, the kind and the request, without credentials.
    public var description: String {
        let ids = [callID?.description, groupID?.description].compactMap(\.self)
        let request = request.map { ["(\($0.description))"] } ?? []
        return (ids + [kind.description] + request).joined(separator: " ")
    }
}

extension ClientEvent.Kind: MirroredByDescription {
    /// The name of the kind and its values, without credentials.
    ///
    /// A model is represented by its type only.
    public var description: String {
        ([name.rawValue] + details.map { "\($0.key.rawValue)=\($0.text)" }).joined(separator: " ")
    }
}
