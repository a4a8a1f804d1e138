// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Takes the place of the global executor, so that each task of the process runs where the simulation says.
///
/// The runtime calls the functions behind these variables, if there are any, with each job that would run on the pool
/// of threads or on the main thread: structured and unstructured tasks, detached ones, and actors.
enum ExecutorHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Sends all jobs to the scheduler from now on; returns false where the runtime has no such variables.
    static func install() -> Bool {
        let hook: Hook = { job, _ in Scheduler.shared.enqueue(job) }
        let names = ["swift_task_enqueueGlobal_hook", "swift_task_enqueueMainExecutor_hook"]
        guard let program = unsafe dlopen(nil, RTLD_NOW) else {
            return false
        }
        for name in names {
            guard let variable = unsafe dlsym(program, name) else {
                return false
            }
            unsafe variable.assumingMemoryBound(to: Hook.self).pointee = hook
        }
        return true
    }
}
