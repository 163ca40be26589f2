// Package sysmem reads how much memory the machine and the process have, and what bounds
// it: control groups and ulimits.
package sysmem

// Machine returns the machine's available and total bytes, or what the process's control
// group or one above it allows if that is less. Memory that the group uses for files, which
// the kernel can drop, counts as available; swap does not count. On systems other than
// Linux it returns an error that wraps errors.ErrUnsupported.
func Machine() (free, total int64, err error) { return machine() }

// Tightest returns the control group of the process, or above it, that has least left.
// It reports false if none allows less than the machine has.
func Tightest() (Group, bool) { return tightest() }

// Ulimit returns what RLIMIT_AS or RLIMIT_DATA, which the shell's ulimit -v and -d set,
// allows the process, and how much of that is left; 0 and 0 without such a limit. Of the
// two it is the one that leaves less.
func Ulimit() (free, limit int64) { return ulimit() }

// Resident returns the process's resident bytes now and at their highest; zero
// where the system does not tell, as on all but Linux.
func Resident() (now, peak int64) { return resident() }
