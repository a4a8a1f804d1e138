// SPDX-License-Identifier: MIT

extension RestClientError {
    /// Returns the error with the means to decode its body as the call would, for rules and observers that receive it
    /// before the call has ended.
    func readable(in call: CallContext) -> RestClientError {
        guard response != nil, reader == nil else {
            return self
        }
        var error = self
        error.parts.reader = call.policy.reader
        return error
    }
}
