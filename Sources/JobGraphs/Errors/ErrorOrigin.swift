// SPDX-License-Identifier: MIT

package enum ErrorOrigin {
    /// Returns the first error of a type among an error and its origins; `nil` if there is none.
    package static func first<Failure>(_ type: Failure.Type, behind error: any Error) -> Failure? {
        var error = error
        // Errors may be objects that form a cycle.
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
