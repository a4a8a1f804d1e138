// SPDX-License-Identifier: MIT

/// A transport whose exchanges end when ``TransportRequest/cancellation`` says so, besides with their task.
package protocol CancellingTransport: Transport {}

extension TransportRequest {
    /// A Boolean value that is true once the call or its task is cancelled.
    var isCancelled: Bool { Task.isCancelled || cancellation?.isCancelled == true }
}
