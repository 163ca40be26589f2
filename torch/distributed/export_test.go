package distributed

// LostAfter is how long a connection has to be gone until its rank counts as lost.
const LostAfter = beats * beat

// AmongOthers has a group's monitored barrier be libtorch's, as beside ranks of Python's.
func AmongOthers(g *ProcessGroup) { g.allOurs = false }
