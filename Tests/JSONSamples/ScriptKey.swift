// SPDX-License-Identifier: MIT

extension CodingUserInfoKey {
    /// The script that the scripted models of a call follow.
    package static var script: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "script") else {
            preconditionFailure("every raw value makes a key")
        }
        return key
    }
}
