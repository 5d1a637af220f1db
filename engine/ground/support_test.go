package ground

import "slices"

// allRules are the repairs and the gates.
func allRules() []Rule { return slices.Concat(Repairs(), Gates()) }
