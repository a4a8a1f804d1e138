// SPDX-License-Identifier: MIT

public import RestEssentials

/// An event as a typed message of `NotificationCenter`.
///
/// ```swift
/// manager.notificationCenter = .default
/// let token = NotificationCenter.default.addObserver(of: manager, for: ClientEventMessage.self) { message in
///     print(message.event.kind)
/// }
/// ```
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
public struct ClientEventMessage: NotificationCenter.AsyncMessage {
    /// Messages are posted with the manager as their subject.
    public typealias Subject = RestClientManager

    /// The event.
    public let event: ClientEvent
}
