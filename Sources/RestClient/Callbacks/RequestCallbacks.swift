// SPDX-License-Identifier: MIT

/// The handlers that a node brings along for ``RequestNode/resume()``.
struct RequestCallbacks<Model: Sendable>: Sendable {
    var onSuccess: (@Sendable (Response<Model>) -> Void)?
    var onCacheSuccess: (@Sendable (Response<Model>) -> Void)?
    var onError: (@Sendable (any Error) -> Void)?

    /// Calls the handler for a response that comes ahead of the server's.
    func call(early response: Response<Model>) {
        (onCacheSuccess ?? onSuccess)?(response)
    }

    /// Calls the one handler that fits the server's response after one that came ahead of it.
    func call(late result: Result<Response<Model>, any Error>) {
        switch result {
        case .success(let response): onSuccess?(response)
        case .failure(let error): onError?(error)
        }
    }

    /// Calls the one handler that fits.
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
