// SPDX-License-Identifier: MIT

/// The error for a number that does not fit the requested type.
///
/// Code of models sees this error, which is not a `DecodingError`, just as with Foundation. The call to decode then
/// throws Foundation's `DecodingError` instead.
struct NumberNotRepresentable: Error {
    /// The error that Foundation throws for the number alone.
    let error: any Error
}
