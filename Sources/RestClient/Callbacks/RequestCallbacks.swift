// SPDX-License-Identifier: MIT

/// The handlers of a node, for ``RequestNode/resume()``.
struct RequestCallbacks<Model: Sendable>: Sendable {
    var onSuccess: (@Sendable (Response<Model>) -> Void)?
    var onCacheSuccess: (@Sendable (Response<Model>) -> Void)?
    var onError: (@Sendable (any Error) -> Void)?

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
