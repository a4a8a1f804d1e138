// SPDX-License-Identifier: MIT

/// Follows errors to the one that they were made of.
package enum ErrorOrigin {
    /// Returns the first error of a type among an error and those that it was made of; `nil` if there is none.
    package static func first<Failure>(_ type: Failure.Type, behind error: any Error) -> Failure? {
        var error = error
        // Errors may be objects, and so in a circle.
        for _ in 0..<16 {
            if let found = error as? Failure {
                return found
            }
            guard let derived = error as? any DerivedError else {
                return nil
            }
            error = derived.original
        }
        return nil
    }
}
