// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallOptions {
    /// Removes the credentials that the manager and the environment set, because the target is not a registered server,
    /// or because the request leaves encryption.
    ///
    /// The names of the removed fields become another option, which explanations show. Fields allowed for any
    /// origin are withheld only without encryption. If another server chose the target, `method` is that of the
    /// request, which keeps only the fields that mean the same to every server; it is `nil` if the program did.
    mutating func withholdCredentials(isEncrypted: Bool = true, givenTo method: HTTPRequest.Method? = nil) {
        withholdQueryCredentials()
        let parts = contributions(to: .headers)
        guard let outermost = parts.first?.level, outermost <= .manager else {
            return
        }
        let declared = self[.credentialFields] ?? []
        let free = isEncrypted ? self[.fieldsForAnyOrigin] ?? [] : []
        var kept = CallOptions()
        var withheld = CallOptions()
        for (level, fields) in parts {
            var fields = fields
            if level <= .manager {
                let names = fields.names.filter { name in
                    !free.contains(name)
                        && (Credentials.contain(name, declared: declared)
                            || !(method.map { Credentials.goesAlong(name, with: $0) } ?? true))
                }
                fields.remove(names)
                if !names.isEmpty {
                    withheld = withheld.overlaid(with: CallOptions(.withheldFields, names), at: level)
                }
            }
            if !fields.isEmpty {
                kept = kept.overlaid(with: CallOptions(.headers, fields), at: level)
            }
        }
        guard withheld[.withheldFields] != nil else {
            return
        }
        self[.headers] = nil
        self = overlaid(with: kept).overlaid(with: withheld)
    }

    private mutating func withholdQueryCredentials() {
        let parts = contributions(to: .queryCredentials)
        guard let outermost = parts.first?.level, outermost <= .manager else {
            return
        }
        self[.queryCredentials] = nil
        for (level, items) in parts where level > .manager {
            self = overlaid(with: CallOptions(.queryCredentials, items), at: level)
        }
    }

    private init<Value>(_ key: CallOptionKey<Value>, _ value: Value) {
        self.init()
        self[key] = value
    }
}
