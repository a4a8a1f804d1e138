// SPDX-License-Identifier: MIT

import RestEssentials

extension Data {
    /// Passes the bytes to the closure, like `withUnsafeBytes`, but keeps the error's type.
    func withInput<Value>(
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let result = unsafe withUnsafeBytes { bytes -> Result<Value, StoreError> in
            do throws(StoreError) {
                return unsafe .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
