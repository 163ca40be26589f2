package sysmem

// The readers of the system's files.
var (
	Meminfo = meminfo
	Number  = number
)
