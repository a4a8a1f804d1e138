// SPDX-License-Identifier: MIT

import RestEssentials

extension Data {
    /// Gives the bytes to the closure; as `withUnsafeBytes`, with the error's type kept.
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
