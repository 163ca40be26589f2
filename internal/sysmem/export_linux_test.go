package sysmem

import "io/fs"

// MachineIn is like Machine, for the system files in f.
func MachineIn(f fs.FS) (free, total int64, err error) { return (&files{FS: f}).machine() }

// GroupsIn returns the control groups of the process that have a memory limit, according
// to the system files in f.
func GroupsIn(f fs.FS) []Group { return (&files{FS: f}).bounded() }

// TightestIn is like Tightest, for the system files in f.
func TightestIn(f fs.FS) (Group, bool) { return (&files{FS: f}).tightest() }
