// Package sysmem reads how much memory the machine and the process have.
package sysmem

// Machine returns the machine's available and total bytes, or what the
// container allows if that is less. On systems other than Linux it returns an
// error that wraps errors.ErrUnsupported.
func Machine() (free, total int64, err error) { return machine() }

// Resident returns the process's resident bytes now and at their highest; zero
// where the system does not tell, as on all but Linux.
func Resident() (now, peak int64) { return resident() }
