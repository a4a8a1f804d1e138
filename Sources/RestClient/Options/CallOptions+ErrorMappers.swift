// SPDX-License-Identifier: MIT

extension CallOptions {
    /// Returns the result of the levels' error mappers, the innermost first.
    func mapped(_ error: any Error) -> any Error {
        guard let mappers = self[.errorMappers] else {
            return error
        }
        var error = error
        for mapper in mappers.reversed() {
            guard let known = error as? RestClientError else {
                break
            }
            error = mapper(known)
        }
        return error
    }
}
