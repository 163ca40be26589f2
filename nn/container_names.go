package nn

// names says where the child or parameter of a name is in a list of many. It is nil for a
// list of few, and for one that lost or renamed an element since it grew: each is compared
// then. It changes only where the list does, so that any number of goroutines may read it.
type names map[string]int

// few is the length up to which comparing each is fast enough.
const few = 16

// grown returns the names of a list that has got a new last element.
func (n names) grown(length int, name func(i int) string) names {
	if length <= few {
		return nil
	}
	from := length - 1
	if n == nil {
		n, from = make(names, 2*length), 0
	}
	for i := from; i < length; i++ {
		n[name(i)] = i
	}
	return n
}

// place returns where the name is, or -1.
func (n names) place(name string) int {
	if i, ok := n[name]; ok {
		return i
	}
	return -1
}
