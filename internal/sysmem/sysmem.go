// Package sysmem reads the memory of the machine and of the process, and their limits:
// control groups and ulimits.
package sysmem

// Machine returns the available and total bytes of the machine, or of a control group of
// the process if the group allows less. File cache of the group, which the kernel can
// drop, counts as available. Swap does not count. On systems other than Linux it returns
// an error that wraps errors.ErrUnsupported.
func Machine() (free, total int64, err error) { return machine() }

// Tightest returns the control group of the process with the least free memory. It
// returns false if no group allows less than the machine's memory.
func Tightest() (Group, bool) { return tightest() }

// Ulimit returns the limit RLIMIT_AS or RLIMIT_DATA (ulimit -v and -d in a shell),
// whichever leaves less memory, and the memory that it leaves. Without such limits it
// returns 0 and 0.
func Ulimit() (free, limit int64) { return ulimit() }

// Resident returns the process's resident bytes and their peak, or zeros on systems other
// than Linux.
func Resident() (now, peak int64) { return resident() }
