// SPDX-License-Identifier: MIT

package protocol RequestJob: Job {
    /// The name of the request in the report of a group, without secrets.
    var label: String { get }
}

extension JobKind {
    init<Work: Job>(of type: Work.Type) {
        self = type is any RequestJob.Type ? .request : .job
    }
}
