// SPDX-License-Identifier: MIT

/// An exchange that sends a streamed body, which ends with it.
protocol UploadingExchange: AnyObject, Sendable {
    /// Sets what sends the body of the request.
    func uploads(_ upload: Task<Void, Never>)
}
