// SPDX-License-Identifier: MIT

/// Suspends the current task until another one has resumed it: stands for work that waits.
package func suspendOnce() async {
    await withCheckedContinuation { continuation in
        Task { continuation.resume() }
    }
}
