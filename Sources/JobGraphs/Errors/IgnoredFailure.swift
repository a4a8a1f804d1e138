// SPDX-License-Identifier: MIT

/// A failure of a member to which its group does not react.
struct IgnoredFailure: DerivedError {
    let original: any Error
}
