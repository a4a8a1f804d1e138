// SPDX-License-Identifier: MIT

/// The handlers that a node brings along for ``RequestNode/resume()``.
struct RequestCallbacks<Model: Sendable>: Sendable {
    var onSuccess: (@Sendable (Response<Model>) -> Void)?
    var onCacheSuccess: (@Sendable (Response<Model>) -> Void)?
    var onError: (@Sendable (any Error) -> Void)?

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
