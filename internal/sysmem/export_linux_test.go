package sysmem

import "io/fs"

// MachineIn is Machine with other system files.
func MachineIn(f fs.FS) (free, total int64, err error) { return (&files{FS: f}).machine() }

// GroupsIn returns the groups with a limit.
func GroupsIn(f fs.FS) []Group { return (&files{FS: f}).bounded() }

// TightestIn is Tightest with other system files.
func TightestIn(f fs.FS) (Group, bool) { return (&files{FS: f}).tightest() }
