// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
import Dispatch
import Synchronization

/// Watches files through kqueue, with one descriptor per file.
final class FileWatchEngine: Sendable {
    /// The inode of a watched file.
    typealias Watch = UInt64

    private struct State {
        var sources: [Watch: any DispatchSourceFileSystemObject] = [:]
        var handler: (@Sendable (Watch) -> Void)?
    }

    private let queue = DispatchQueue(label: "SharedStore.FileChangeMonitor")
    private let state = Mutex(State())

    init() {}

    /// Sets the handler and starts, once.
    func start(_ handler: @escaping @Sendable (Watch) -> Void) {
        state.withLock { $0.handler = handler }
    }

    func add(_ path: String) -> Watch? {
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return nil
        }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else {
            close(descriptor)
            return nil
        }
        let watch = Watch(information.st_ino)
        return state.withLock { state in
            guard state.sources[watch] == nil else {
                close(descriptor)
                return watch
            }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor,
                eventMask: [.attrib, .write, .extend],
                queue: queue
            )
            source.setEventHandler { [weak self] in
                let handler = self?.state.withLock { $0.handler }
                handler?(watch)
                usleep(UInt32(FileChangeMonitor.restMilliseconds) * 1000)
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            state.sources[watch] = source
            return watch
        }
    }

    func remove(_ watch: Watch) {
        let source = state.withLock { $0.sources.removeValue(forKey: watch) }
        source?.cancel()
    }
}
#endif
