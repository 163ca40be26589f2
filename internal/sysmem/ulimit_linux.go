package sysmem

import "syscall"

// ulimit returns the limit RLIMIT_AS or RLIMIT_DATA, whichever leaves less memory.
func ulimit() (free, limit int64) {
	kB := system.kilobytes("proc/self/status")
	for _, u := range []struct {
		resource int
		used     int64
	}{{syscall.RLIMIT_AS, kB["VmSize"] << 10}, {syscall.RLIMIT_DATA, kB["VmData"] << 10}} {
		var r syscall.Rlimit
		if syscall.Getrlimit(u.resource, &r) != nil || r.Cur >= none {
			continue
		}
		if left := max(int64(r.Cur)-u.used, 0); limit == 0 || left < free {
			free, limit = left, int64(r.Cur)
		}
	}
	return free, limit
}
