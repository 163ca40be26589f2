// Package named knows what blocks of memory are that the library itself holds for long, so that
// summaries and snapshots of package memory can say it: the blocks of graphs, for one.
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

var (
	mu     sync.Mutex
	blocks = map[uintptr]*Block{}
)

// Add enters memory at an address until the function that it returns is called.
func Add(name, kind string, at uintptr, bytes int64) (remove func()) {
	mu.Lock()
	defer mu.Unlock()
	b := &Block{name, kind, bytes}
	blocks[at] = b
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if blocks[at] == b { // else it was removed, and the memory may be another's
			delete(blocks, at)
		}
	}
}

// At returns what the memory at an address is, "" for none of those.
func At(at uintptr) string {
	mu.Lock()
	defer mu.Unlock()
	if b := blocks[at]; b != nil {
		return b.Name
	}
	return ""
}

// Sum is the blocks of a kind.
type Sum struct {
	Kind   string
	Blocks int
	Bytes  int64
}

// Sums adds up the blocks, in the order of their kinds' names.
func Sums() []Sum {
	mu.Lock()
	defer mu.Unlock()
	kinds := map[string]*Sum{}
	for _, b := range blocks {
		s := kinds[b.Kind]
		if s == nil {
			s = &Sum{Kind: b.Kind}
			kinds[b.Kind] = s
		}
		s.Blocks++
		s.Bytes += b.Bytes
	}
	sums := make([]Sum, 0, len(kinds))
	for _, s := range slices.SortedFunc(maps.Values(kinds), func(a, b *Sum) int { return strings.Compare(a.Kind, b.Kind) }) {
		sums = append(sums, *s)
	}
	return sums
}
