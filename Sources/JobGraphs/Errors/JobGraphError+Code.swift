// SPDX-License-Identifier: MIT

extension JobGraphError {
    /// The kinds of errors.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String {
            case graphCycle, duplicateJobName, unknownJobHandle, missingJobResult, missingPreviousResult, pollExhausted
            case timeout, resultNotCodable, journalUnreadable, journalInUse, unknownOutcome, runCompensated
            case secretNotSealed, otherGraph, unknownJournal, earlierFailure, journalOfOtherOrigin
        }

        private let name: Name

        /// The name of the code, as in `graphCycle`; it never changes.
        public var description: String { name.rawValue }

        /// Nodes of a graph wait for each other.
        public static let graphCycle = Code(name: .graphCycle)
        /// Two nodes of a graph have the same name.
        public static let duplicateJobName = Code(name: .duplicateJobName)
        /// A handle does not belong to the graph with which it is used.
        public static let unknownJobHandle = Code(name: .unknownJobHandle)
        /// A node has no result: it was skipped or not run.
        public static let missingJobResult = Code(name: .missingJobResult)
        /// A step needs a result that the previous step does not have.
        public static let missingPreviousResult = Code(name: .missingPreviousResult)
        /// A poll ended before its condition was met.
        public static let pollExhausted = Code(name: .pollExhausted)
        /// A run, a node or a compensation did not end in time.
        public static let timeout = Code(name: .timeout)
        /// A result cannot be stored in a journal.
        public static let resultNotCodable = Code(name: .resultNotCodable)
        /// A record of a journal cannot be read.
        public static let journalUnreadable = Code(name: .journalUnreadable)
        /// A run uses the journal now, here or in another process.
        public static let journalInUse = Code(name: .journalInUse)
        /// A run cannot resume another one, because one of them got what stood in for the real thing, as dummies do.
        public static let journalOfOtherOrigin = Code(name: .journalOfOtherOrigin)
        /// The outcome of unsafe work of an earlier run is unknown.
        public static let unknownOutcome = Code(name: .unknownOutcome)
        /// An earlier run is being compensated, which must end first.
        public static let runCompensated = Code(name: .runCompensated)
        /// A result looks like a credential, and the codec of the journal does not seal it.
        public static let secretNotSealed = Code(name: .secretNotSealed)
        /// A journal belongs to a graph of another name.
        public static let otherGraph = Code(name: .otherGraph)
        /// There is no journal of the given name.
        public static let unknownJournal = Code(name: .unknownJournal)
        /// Work failed in an earlier run, whose outcome is stored.
        public static let earlierFailure = Code(name: .earlierFailure)
    }
}
