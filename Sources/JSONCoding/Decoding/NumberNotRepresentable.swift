// SPDX-License-Identifier: MIT

/// A number that the asked-for type cannot represent.
///
/// Like Foundation's, it is no `DecodingError` while it passes through the code of models; the decoder then throws
/// Foundation's error.
struct NumberNotRepresentable: Error {
    /// The error that Foundation throws for the number alone.
    let error: any Error
}
