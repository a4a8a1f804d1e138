// SPDX-License-Identifier: MIT

/// The handlers of a node, each called at most once for each of its calls.
struct RequestCallbacks<Model: Sendable>: Sendable {
    var onStart: (@Sendable () -> Void)?
    var onSuccess: (@Sendable (Response<Model>) -> Void)?
    var onCacheSuccess: (@Sendable (Response<Model>) -> Void)?
    var onNotModified: (@Sendable (Response<Model>) -> Void)?
    var onError: (@Sendable (any Error) -> Void)?
    var onUnauthorized: (@Sendable (any Error) -> Void)?
    var onTimeout: (@Sendable (any Error) -> Void)?
    var onOffline: (@Sendable (any Error) -> Void)?
    var onCancel: (@Sendable () -> Void)?
    var onProgress: [ProgressSinks.Handler] = []

    /// Runs handlers at the place that the user chose; `nil` runs them in place.
    var place: CallbackPlace?

    var isEmpty: Bool {
        onStart == nil && onSuccess == nil && onCacheSuccess == nil && onNotModified == nil && onError == nil
            && onUnauthorized == nil && onTimeout == nil && onOffline == nil && onCancel == nil
            && onProgress.isEmpty
    }

    /// Returns what delivers the progress of one call to its handlers; `nil` if there are none.
    func progress() -> LatestDelivery<CallProgress.Direction, CallProgress>? {
        guard !onProgress.isEmpty else {
            return nil
        }
        return LatestDelivery(at: place?.perform) { [onProgress] progress in
            for handler in onProgress {
                handler(progress)
            }
        }
    }

    /// Returns the handler for the result of a call; a specific one takes precedence over the general one.
    ///
    /// The class is that of an error that the user's handlers replaced.
    func handler(
        of result: Result<Response<Model>, any Error>,
        failureClass: FailureClass?,
        hasEarly: Bool
    ) -> (@Sendable () -> Void)? {
        switch result {
        case .success(let response):
            let special: (@Sendable (Response<Model>) -> Void)? =
                switch response.source {
                case .revalidatedCache: onNotModified
                case .cache where !hasEarly: onCacheSuccess
                default: nil
                }
            guard let handle = special ?? onSuccess else {
                return nil
            }
            return { handle(response) }
        case .failure(let error):
            if error is CancellationError, let onCancel {
                return onCancel
            }
            let special: (@Sendable (any Error) -> Void)? =
                switch failureClass ?? FailureClass(of: error) {
                case .unauthorized: onUnauthorized
                case .timeout: onTimeout
                case .network: onOffline
                default: nil
                }
            guard let handle = special ?? onError else {
                return nil
            }
            return { handle(error) }
        }
    }
}
