// SPDX-License-Identifier: MIT

/// The handlers of a node, called once for each of its calls.
struct RequestCallbacks<Model: Sendable>: Sendable {
    var onSuccess: (@Sendable (Response<Model>) -> Void)?
    var onCacheSuccess: (@Sendable (Response<Model>) -> Void)?
    var onError: (@Sendable (any Error) -> Void)?

    /// A Boolean value that is true if there is no handler.
    var isEmpty: Bool { onSuccess == nil && onCacheSuccess == nil && onError == nil }

    /// Calls the handler for a stored response that is delivered before the server's.
    func call(early response: Response<Model>) {
        (onCacheSuccess ?? onSuccess)?(response)
    }

    /// Calls the handler for the server's result after a stored response was delivered.
    func call(late result: Result<Response<Model>, any Error>) {
        switch result {
        case .success(let response): onSuccess?(response)
        case .failure(let error): onError?(error)
        }
    }

    /// Calls the handler for the result of a call.
    func call(with result: Result<Response<Model>, any Error>) {
        switch result {
        case .success(let response) where response.source.isCache:
            (onCacheSuccess ?? onSuccess)?(response)
        case .success(let response):
            onSuccess?(response)
        case .failure(let error):
            onError?(error)
        }
    }
}
