// SPDX-License-Identifier: MIT

/// The origin of a change of shared data.
public enum SharedChangeOrigin: Sendable, Hashable {
    /// This ``SharedData`` instance.
    case thisProcess
    /// Another process, or another ``SharedData`` on the same file.
    case anotherProcess
}
