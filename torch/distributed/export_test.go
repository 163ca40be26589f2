package distributed

// LostAfter is how long a connection must be closed before its rank counts as lost.
const LostAfter = closedChecks * checkInterval

// AmongOthers makes a group use libtorch's monitored barrier, as if some ranks were Python
// processes.
func AmongOthers(g *ProcessGroup) { g.allGo = false }
