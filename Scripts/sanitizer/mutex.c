// SPDX-License-Identifier: MIT
//
// Tells ThreadSanitizer of the locks of Synchronization.Mutex that had to wait.
//
// The path of a lock without contention is compiled into its user, where the sanitizer sees it. The path that waits lies in
// the library Synchronization, which is not instrumented: without this file, every two closures of one contended lock are
// reported as a race. Scripts/test --sanitize=thread builds it and loads it before that library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdbool.h>

// Defined by the runtime of the sanitizer; programs without it load this file too.
__attribute__((weak)) extern void __tsan_acquire(void *address);
__attribute__((weak)) extern void __tsan_release(void *address);

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void (*LockSlow)(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) bool (*TryLockSlow)(__attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void (*UnlockSlow)(__attribute__((swift_context)) void *);

__attribute__((swiftcall)) void lock_slow(uint32_t state, __attribute__((swift_context)) void *handle) __asm__(LOCK_SLOW);
__attribute__((swiftcall)) bool try_lock_slow(__attribute__((swift_context)) void *handle) __asm__(TRY_LOCK_SLOW);
__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle) __asm__(UNLOCK_SLOW);

__attribute__((swiftcall)) void lock_slow(uint32_t state, __attribute__((swift_context)) void *handle) {
    ((LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW))(state, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) bool try_lock_slow(__attribute__((swift_context)) void *handle) {
    bool locked = ((TryLockSlow)dlsym(RTLD_NEXT, TRY_LOCK_SLOW))(handle);
    if (locked && __tsan_acquire) __tsan_acquire(handle);
    return locked;
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW))(handle);
}
