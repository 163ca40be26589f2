package sysmem

// A Group is a control group that contains the process, directly or not, and limits its
// memory.
type Group struct {
	Path  string // the path of its folder
	Limit int64
	Used  int64 // bytes used by all its processes, without the file cache that the kernel can drop
}

// Free is how much memory the group still allows.
func (g Group) Free() int64 { return max(g.Limit-g.Used, 0) }
