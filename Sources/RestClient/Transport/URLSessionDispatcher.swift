// SPDX-License-Identifier: MIT

#if canImport(Darwin) || URLSessionTransport
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes the delegate calls of a session to the collectors of its tasks.
///
/// It is the session's delegate, because on Linux a session without one does not call the delegates of its tasks.
final class URLSessionDispatcher: NSObject, URLSessionDataDelegate {
    private let collectors = Mutex<[Int: URLSessionCollector]>([:])

    /// Starts a task and reports its end to a collector; called in the task that ``cancel(_:)`` is called for.
    func start(_ task: URLSessionDataTask, _ collector: URLSessionCollector) {
        collectors.withLock { $0[task.taskIdentifier] = collector }
        task.resume()
        // A cancellation that came before the collector found nothing to cancel.
        if Task.isCancelled {
            task.cancel()
        }
    }

    /// Cancels a task if its end will be reported to a collector: before, its end would be lost.
    func cancel(_ task: URLSessionDataTask) {
        if collector(of: task) != nil {
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        collector(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if collector(of: dataTask)?.receive(data) == false {
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let collector = collectors.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        collector?.finish(error, url: task.originalRequest?.url?.absoluteString ?? "")
    }

    private func collector(of task: URLSessionTask) -> URLSessionCollector? {
        collectors.withLock { $0[task.taskIdentifier] }
    }
}
#endif
