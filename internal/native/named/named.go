// Package named records, for package memory, the memory and objects that the library
// itself holds for a long time. It records blocks of memory, such as those of captured
// graphs, and objects that are not tensors.
package named

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Block is memory held by the library.
type Block struct {
	Name  string // the name of this block, with the line that created it
	Kind  string // the kind under which Sums counts the block
	Bytes int64
}

// table contains all blocks by address, and the total of each kind.
type table struct {
	mu     sync.Mutex
	blocks map[uintptr]*Block
	kinds  map[string]*Sum
}

var held = table{blocks: map[uintptr]*Block{}, kinds: map[string]*Sum{}}

// Add records the memory at an address until the returned function is called.
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
		if held.blocks[at] == b { // the address may have been reused
			delete(held.blocks, at)
		}
	}
}

// At returns the name of the memory at an address, or "".
func At(at uintptr) string {
	held.mu.Lock()
	defer held.mu.Unlock()
	if b := held.blocks[at]; b != nil {
		return b.Name
	}
	return ""
}

// Sum is the total of all blocks of a kind.
type Sum struct {
	Kind                            string
	Current, Peak, Allocated, Freed int64
}

// Sums returns the kinds that have blocks, sorted by name.
func Sums() []Sum {
	held.mu.Lock()
	defer held.mu.Unlock()
	sums := make([]Sum, 0, len(held.kinds))
	for _, s := range slices.SortedFunc(maps.Values(held.kinds), func(a, b *Sum) int {
		return strings.Compare(a.Kind, b.Kind)
	}) {
		if s.Current > 0 {
			sums = append(sums, *s)
		}
	}
	return sums
}
