// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

protocol SendingExchange: AnyObject, CancellableWork {
    /// True if the head of the request was passed to a connection.
    var isSent: Bool { get }

    func uploads(_ upload: Task<Void, Never>)
}

#endif
