// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

/// An exchange that sends a request, possibly with a streamed body, which ends with it.
protocol SendingExchange: AnyObject, CancellableWork {
    /// True if the head of the request was passed to a connection.
    var isSent: Bool { get }

    /// Stores the task that sends the body of the request.
    func uploads(_ upload: Task<Void, Never>)
}

#endif
