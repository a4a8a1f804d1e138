// SPDX-License-Identifier: MIT

/// A value whose mirror has its description instead of its properties, so that `dump` and other uses of reflection show
/// no more than `print` does: no credentials, bodies or models.
package protocol MirroredByDescription: CustomStringConvertible, CustomReflectable {}

extension MirroredByDescription {
    /// The description, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self) }
}
