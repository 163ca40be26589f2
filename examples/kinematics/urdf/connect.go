package urdf

import "fmt"

// connect finds the root link. It checks that names are unique, that joints name existing
// links, and that the links form a tree.
func (r *Robot) connect() error {
	links := map[string]int{}
	for _, l := range r.Links {
		if first, ok := links[l.Name]; ok {
			return l.fail("duplicate link name, first used on line %d", first)
		}
		links[l.Name] = l.Line
	}
	joints, parent := map[string]*Joint{}, map[string]*Joint{}
	for i := range r.Joints {
		j := &r.Joints[i]
		if first := joints[j.Name]; first != nil {
			return j.fail("duplicate joint name, first used on line %d", first.Line)
		}
		joints[j.Name] = j
		for _, name := range []string{j.Parent, j.Child} {
			if _, ok := links[name]; !ok {
				return j.fail("there is no link %q", name)
			}
		}
		if other := parent[j.Child]; other != nil {
			return j.fail("link %q is already the child of joint %q", j.Child, other.Name)
		}
		parent[j.Child] = j
	}
	for i := range r.Joints {
		if err := r.Joints[i].follows(joints); err != nil {
			return err
		}
	}
	return r.reach(parent)
}

// follows returns an error if j mimics a joint that does not have its own position. This
// also rules out joints that mimic each other in a cycle.
func (j *Joint) follows(joints map[string]*Joint) error {
	if j.Mimic == nil {
		return nil
	}
	switch leader := joints[j.Mimic.Joint]; {
	case leader == nil:
		return j.fail("it mimics joint %q, which does not exist", j.Mimic.Joint)
	case !leader.Moves():
		return j.fail("it mimics joint %q, which does not move by itself", j.Mimic.Joint)
	}
	return nil
}

// reach finds the root, and checks that a walk up from each link ends at the root. If
// joints form a cycle, the walk does not end there.
func (r *Robot) reach(parent map[string]*Joint) error {
	for _, l := range r.Links {
		switch {
		case parent[l.Name] != nil:
		case r.Root != "":
			return l.fail("this link has no parent joint, and neither has link %q", r.Root)
		default:
			r.Root = l.Name
		}
	}
	if r.Root == "" && len(r.Links) == 0 {
		return &Error{ErrStructure, 0, "", "there are no links"}
	}
	reached := map[string]bool{r.Root: true}
	for _, l := range r.Links {
		path := map[string]bool{}
		name := l.Name
		for !reached[name] {
			if path[name] {
				return l.fail("joints form a cycle above it")
			}
			path[name] = true
			name = parent[name].Parent
		}
		for name := range path {
			reached[name] = true
		}
	}
	return nil
}

func (l Link) fail(format string, args ...any) error {
	return &Error{ErrStructure, l.Line, fmt.Sprintf("<link name=%q>", l.Name), fmt.Sprintf(format, args...)}
}

func (j *Joint) fail(format string, args ...any) error {
	return &Error{ErrStructure, j.Line, fmt.Sprintf("<joint name=%q>", j.Name), fmt.Sprintf(format, args...)}
}
