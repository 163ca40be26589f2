package nn

// nameIndex maps names of children or parameters to their indices in a long list. It is
// nil for a short list, and for a list that lost or renamed an element since it grew;
// lookups then compare every element. It changes only when the list does, so goroutines
// may read it concurrently.
type nameIndex map[string]int

// shortList is the length up to which comparing every element is fast enough.
const shortList = 16

// withLast returns the nameIndex of a list to which one element was appended, so that
// it now has the given length.
func (n nameIndex) withLast(length int, name func(i int) string) nameIndex {
	if length <= shortList {
		return nil
	}
	from := length - 1
	if n == nil {
		n, from = make(nameIndex, 2*length), 0
	}
	for i := from; i < length; i++ {
		n[name(i)] = i
	}
	return n
}

// indexOf returns the index of name, or -1.
func (n nameIndex) indexOf(name string) int {
	if i, ok := n[name]; ok {
		return i
	}
	return -1
}
