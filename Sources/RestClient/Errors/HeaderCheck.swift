// SPDX-License-Identifier: MIT

package import HTTPTypes
import RestEssentials

/// Rejects header fields that would corrupt the message head (RFC 9110, section 5.5).
package enum HeaderCheck {
    static func name(_ name: String) -> Result<HTTPField.Name, RestClientError> {
        if let name = HTTPField.Name(name) {
            return .success(name)
        }
        let shown = MessageText.of(name, limit: MessageText.partLimit)
        return .failure(RestClientError(.invalidHeader, "'\(shown)' is not a valid header field name"))
    }

    /// Returns an error if a value is malformed.
    ///
    /// The value itself is never quoted, because it may be a secret.
    package static func defect(in value: String, of name: HTTPField.Name) -> RestClientError? {
        guard value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0x00 }) else {
            return nil
        }
        return RestClientError(
            .invalidHeader,
            "the value of the header field '\(name.rawName)' contains a line break or NUL; remove it or encode it"
        )
    }
}
