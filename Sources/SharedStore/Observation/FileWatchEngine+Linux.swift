// SPDX-License-Identifier: MIT

#if os(Linux) || os(Android)
import Dispatch
import RestEssentials
import Synchronization

/// Watches files through inotify, with one descriptor for all of them.
final class FileWatchEngine: Sendable {
    /// The kernel's number for a watched file.
    typealias Watch = Int32

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "SharedStore.FileChangeMonitor")
    private let source = Mutex<(any DispatchSourceRead)?>(nil)

    init() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    }

    /// Sets the handler and starts, once.
    func start(_ handler: @escaping @Sendable (Watch) -> Void) {
        guard descriptor >= 0 else {
            return
        }
        source.withLock { [descriptor, queue] source in
            let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            reader.setEventHandler {
                for watch in Self.drain(descriptor) { handler(watch) }
                _ = usleep(UInt32(FileChangeMonitor.restMilliseconds) * 1000)
            }
            reader.activate()
            source = reader
        }
    }

    /// Watches the signals for a file, and the end of processes that could send them; `nil` when the file does not
    /// exist or the kernel has no watches left.
    func add(_ path: String) -> Watch? {
        guard descriptor >= 0 else {
            return nil
        }
        let watch = unsafe inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB) | UInt32(IN_CLOSE_WRITE))
        return watch >= 0 ? watch : nil
    }

    func remove(_ watch: Watch) {
        _ = inotify_rm_watch(descriptor, watch)
    }

    private static func drain(_ descriptor: Int32) -> Set<Watch> {
        var watches: Set<Watch> = []
        let headerSize = MemoryLayout<inotify_event>.size
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else {
                    return
                }
                var offset = 0
                while offset + headerSize <= count {
                    let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    watches.insert(event.wd)
                    offset += headerSize + Int(event.len)
                }
            }
        }
        return watches
    }
}
#endif
