// Package sysmem reads the memory of the machine and of the process, and their limits:
// control groups and ulimits.
package sysmem

// Machine returns the available and total bytes of the machine, or of a control group of
// the process if the group allows less. The group's file cache counts as available,
// because the kernel can drop it. Swap does not count. On systems other than Linux it
// returns an error that wraps errors.ErrUnsupported.
func Machine() (free, total int64, err error) { return machine() }

// Tightest returns the process's control group with the least free memory. It returns
// false if no group allows less than the machine's memory.
func Tightest() (Group, bool) { return tightest() }

// Ulimit compares the limits RLIMIT_AS and RLIMIT_DATA (ulimit -v and -d in a shell). For
// the limit that leaves less memory, it returns the memory still free under the limit,
// and the limit itself. Without such limits it returns 0 and 0.
func Ulimit() (free, limit int64) { return ulimit() }

// Resident returns the process's resident bytes and their peak, or zeros on systems other
// than Linux.
func Resident() (now, peak int64) { return resident() }
