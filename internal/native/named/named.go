// Package named knows what the library itself holds for long, so that package memory can say
// it: blocks of memory, those of graphs for one, and objects that are not tensors.
package named

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Block is memory of the library's.
type Block struct {
	Name  string // of this block, with the line that made it
	Kind  string // what a summary adds it up under
	Bytes int64
}

// A table of the blocks that there are, by address, and of what is known of each kind.
type table struct {
	mu     sync.Mutex
	blocks map[uintptr]*Block
	kinds  map[string]*Sum
}

var held = table{blocks: map[uintptr]*Block{}, kinds: map[string]*Sum{}}

// Add enters memory at an address until the function that it returns is called.
func Add(name, kind string, at uintptr, bytes int64) (remove func()) {
	held.mu.Lock()
	defer held.mu.Unlock()
	b := &Block{name, kind, bytes}
	held.blocks[at] = b
	s := held.kinds[kind]
	if s == nil {
		s = &Sum{Kind: kind}
		held.kinds[kind] = s
	}
	s.Current += bytes
	s.Allocated += bytes
	s.Peak = max(s.Peak, s.Current)
	removed := false
	return func() {
		held.mu.Lock()
		defer held.mu.Unlock()
		if removed {
			return
		}
		removed = true
		s.Current -= bytes
		s.Freed += bytes
		if held.blocks[at] == b { // the memory may be another's by now
			delete(held.blocks, at)
		}
	}
}

// At returns what the memory at an address is, "" for none of those.
func At(at uintptr) string {
	held.mu.Lock()
	defer held.mu.Unlock()
	if b := held.blocks[at]; b != nil {
		return b.Name
	}
	return ""
}

// Sum is the bytes of all blocks of a kind.
type Sum struct {
	Kind                            string
	Current, Peak, Allocated, Freed int64
}

// Sums returns the kinds that there are blocks of, in the order of their names.
func Sums() []Sum {
	held.mu.Lock()
	defer held.mu.Unlock()
	sums := make([]Sum, 0, len(held.kinds))
	for _, s := range slices.SortedFunc(maps.Values(held.kinds), func(a, b *Sum) int { return strings.Compare(a.Kind, b.Kind) }) {
		if s.Current > 0 {
			sums = append(sums, *s)
		}
	}
	return sums
}
