package export

import "strings"

// Each operator that depends on the mode belongs to the module that called it in Python.
// It follows the mode of that module, but only after Train or Eval was called: until then
// it does what it did when the program was exported.

// modes returns the modes of the modules with such operators.
func (s *shared) modes() []byte {
	if len(s.modal) == 0 {
		return nil
	}
	all := make([]byte, len(s.modal))
	for i, m := range s.modal {
		all[i] = m.mode
	}
	return all
}

// modulePath returns the path of the module that a node came from.
func (n *node) modulePath() string {
	path := ""
	n.eachModule(func(at, _ string) { path = at })
	return path
}

// eachModule calls fn for each module around the node, the outermost first, with its path
// and the name of its class.
func (n *node) eachModule(fn func(path, class string)) {
	// The metadata is a list of "key,path,class", separated by semicolons.
	for part := range strings.SplitSeq(n.Metadata["nn_module_stack"], ";") {
		fields := strings.Split(part, ",")
		if len(fields) != 3 {
			continue
		}
		path, _, _ := strings.Cut(fields[1], "@") // lin@1 is the second call of lin
		fn(path, fields[2][strings.LastIndexByte(fields[2], '.')+1:])
	}
}
