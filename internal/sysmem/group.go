package sysmem

// A Group is a control group that limits the memory of the process. The process may be in
// the group itself or in a group inside it.
type Group struct {
	Path  string // the path of its folder
	Limit int64
	Used  int64 // bytes used by all its processes, without the file cache that the kernel can drop
}

// Free returns how much memory the group still allows.
func (g Group) Free() int64 { return max(g.Limit-g.Used, 0) }
