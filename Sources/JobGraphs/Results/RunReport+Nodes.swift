// SPDX-License-Identifier: MIT

extension RunReport.Status {
    init(_ outcome: JobOutcome<any Sendable>, _ note: JobNote.Contents?) {
        switch outcome {
        case .success where note?.isResumed == true: self = .resumed
        case .success: self = note?.detail?.isFromCache == true ? .fromCache : .success
        case .failure: self = .failure
        case .cancelled: self = .cancelled
        case .skipped: self = .skipped
        case .notRun: self = .notRun
        }
    }
}

extension RunReport.Kind {
    package init(_ kind: JobKind) {
        switch kind {
        case .request: self = .request
        case .input, .local, .job: self = .local
        case .graph: self = .graph
        case .forEach: self = .forEach
        case .poll: self = .poll
        case .condition: self = .condition
        case .fallback: self = .fallback
        }
    }
}
