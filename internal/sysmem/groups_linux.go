package sysmem

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// files are the files of the system or, in tests, copies of such files. Their paths do
// not begin with a slash, as in an [fs.FS].
type files struct {
	fs.FS

	mu     sync.Mutex
	groups string // the contents of /proc/self/cgroup from which found was computed
	found  []folder
}

// system reads the machine's files.
var system = &files{FS: os.DirFS("/")}

// A folder is the directory of a control group of version 1 or 2.
type folder struct {
	path   string
	names  *names
	parent bool // an ancestor of the process's own group
}

// names are the file names of a version of control groups. limits include memory.high.
// Above it the kernel slows the group's processes down but does not kill any. Programs
// should stay below this limit too.
type names struct {
	limits      []string
	used        string
	total       string // prefix of the lines of memory.stat that include the groups inside the group
	hierarchy   string // contains "0" in a group that does not count the groups inside it
	least       string // a line of memory.stat: the lowest limit of the group and its ancestors, even hidden ones
	fsType      string
	controllers string // this version's line of /proc/self/cgroup lists this controller
}

// v1 and v2 do not change.
var (
	v1 = names{
		limits: []string{"memory.limit_in_bytes"}, used: "memory.usage_in_bytes", total: "total_",
		hierarchy: "memory.use_hierarchy", least: "hierarchical_memory_limit", fsType: "cgroup", controllers: "memory",
	}
	v2 = names{limits: []string{"memory.max", "memory.high"}, used: "memory.current", fsType: "cgroup2"}
)

// bounded returns the groups with a limit, starting with the innermost. A machine may
// have groups of both versions, but only one version has the memory controller.
func (f *files) bounded() (list []Group) {
	for _, d := range f.folders() {
		if d.parent && d.names.hierarchy != "" && f.text(d.path+"/"+d.names.hierarchy) == "0" {
			continue
		}
		limit := int64(none)
		for _, name := range d.names.limits {
			limit = min(limit, f.number(d.path+"/"+name, none))
		}
		var stat map[string]int64
		if limit < none || !d.parent {
			stat = f.stat(d.path + "/memory.stat")
		}
		if least, ok := stat[d.names.least]; ok && !d.parent {
			limit = min(limit, least)
		}
		if limit <= 0 || limit >= none {
			continue
		}
		of := func(line string) int64 { return stat[d.names.total+line] }
		cache := of("inactive_file") + max(of("active_file")-of("mapped_file")-of("file_mapped"), 0)
		list = append(list, Group{
			Path: "/" + d.path, Limit: limit,
			Used: max(f.number(d.path+"/"+d.names.used, 0)-cache, 0),
		})
	}
	return list
}

// none is the smallest number that means "no limit". Version 1 writes the largest
// multiple of the page size.
const none = math.MaxInt64 &^ (1<<20 - 1)

// folders returns the directories of the process's groups and of all their visible
// ancestors.
func (f *files) folders() []folder {
	groups := f.text("proc/self/cgroup")
	f.mu.Lock()
	defer f.mu.Unlock()
	if groups == f.groups { // the process has not moved to another group
		return f.found
	}
	f.groups, f.found = groups, nil
	mounts := f.text("proc/self/mountinfo")
	for _, line := range strings.Split(groups, "\n") {
		// number:controllers:path; version 2 has the number 0 and no controllers
		part := strings.SplitN(line, ":", 3)
		if len(part) < 3 {
			continue
		}
		version := &v2
		if part[0] != "0" || part[1] != "" {
			version = &v1
		}
		if !contains(part[1], version.controllers) {
			continue
		}
		top, inside, ok := place(mounts, version, part[2])
		for own := true; ok; own = false {
			f.found = append(f.found, folder{path.Join(top, inside), version, !own})
			if inside == "" {
				break
			}
			if inside = path.Dir(inside); inside == "." {
				inside = ""
			}
		}
	}
	return f.found
}

// place returns the mount point of a version's groups, and the path of a group relative
// to it. In a container, /proc/self/cgroup may show paths that are not mounted. Then the
// mounted root is the container's group.
func place(mounts string, version *names, group string) (top, inside string, ok bool) {
	for _, line := range strings.Split(mounts, "\n") {
		// id parent device root point options [more] - type source options
		before, after, _ := strings.Cut(line, " - ")
		part, kind := strings.Fields(before), strings.Fields(after)
		if len(part) < 5 || len(kind) < 3 || kind[0] != version.fsType || !contains(kind[2], version.controllers) {
			continue
		}
		root := strings.TrimSuffix(unescape(part[3]), "/")
		below, found := strings.CutPrefix(group, root)
		if found && (below == "" || below[0] == '/') && !strings.Contains(below, "/..") {
			return strings.TrimPrefix(unescape(part[4]), "/"), strings.Trim(below, "/"), true
		}
		if !ok {
			top, ok = strings.TrimPrefix(unescape(part[4]), "/"), true
		}
	}
	return top, "", ok
}

// contains reports whether a comma-separated list contains a word. It returns true for
// the empty word.
func contains(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if word == "" || w == word {
			return true
		}
	}
	return false
}

// unescape decodes the escapes in mountinfo, such as \040 for a space.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// text returns the contents of a file, trimmed, or "" if it cannot be read.
func (f *files) text(name string) string {
	b, err := fs.ReadFile(f, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number returns the number in a file, or the value of otherwise if the file has no
// number. "max" is not a number; it means that there is no limit.
func (f *files) number(name string, otherwise int64) int64 {
	n, err := strconv.ParseInt(f.text(name), 10, 64)
	if err != nil {
		return otherwise
	}
	return n
}

// stat returns the numbers in a file whose lines are a name and a number.
func (f *files) stat(name string) map[string]int64 {
	numbers := map[string]int64{}
	for line := range strings.SplitSeq(f.text(name), "\n") {
		key, value, _ := strings.Cut(line, " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			numbers[key] = n
		}
	}
	return numbers
}
