package sysmem

// A Group is a control group that the process is in, or one above it, and that bounds
// its memory.
type Group struct {
	Path  string // its folder
	Limit int64
	Used  int64 // by all processes in it, without the file cache that the kernel can drop
}

// Free is how much the group would still give.
func (g Group) Free() int64 { return max(g.Limit-g.Used, 0) }
