package tokenizers

import (
	"container/heap"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A merge is the result of merging two tokens. Merges of lower ranks come first.
type merge struct{ rank, id uint32 }

// noMerge is the rank of pairs that do not merge.
const noMerge = ^uint32(0)

// A mergeTable is a hash table from pairs of tokens to merges.
type mergeTable struct {
	keys  []uint64 // the pair plus 1; 0 if free
	vals  []merge
	shift int
}

func (t *mergeTable) init(n int) {
	size := 1 << bits.Len(uint(2*n+1))
	t.keys, t.vals = make([]uint64, size), make([]merge, size)
	t.shift = 64 - bits.Len(uint(size-1))
}

func (t *mergeTable) slot(key uint64) int {
	return int(key * 0x9E3779B97F4A7C15 >> t.shift)
}

func (t *mergeTable) put(a, b uint32, m merge) {
	key := uint64(a)<<32 | uint64(b) + 1
	i := t.slot(key)
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	t.keys[i], t.vals[i] = key, m
}

func (t *mergeTable) get(a, b uint32) merge {
	key := uint64(a)<<32 | uint64(b) + 1
	for i := t.slot(key); t.keys[i] != 0; i = (i + 1) & (len(t.keys) - 1) {
		if t.keys[i] == key {
			return t.vals[i]
		}
	}
	return merge{rank: noMerge}
}

// A word is a text while BPE merges its symbols.
type word struct {
	symbols []symbol
	pairs   []merge // pairs[i] is the merge of symbols i and i+1
	prev    []int32
	next    []int32
	queue   mergeQueue
}

var words = sync.Pool{New: func() any { return new(word) }}

func getWord() *word {
	w := words.Get().(*word)
	w.symbols = w.symbols[:0]
	return w
}

func putWord(w *word) {
	if cap(w.symbols) <= 1<<16 {
		words.Put(w)
	}
}

// scanLimit is the length of words up to which scanning all pairs is faster than a heap.
const scanLimit = 100

func (w *word) merge(t *mergeTable) {
	s := w.symbols
	if len(s) < 2 {
		return
	}
	w.pairs = w.pairs[:0]
	for i := range len(s) - 1 {
		w.pairs = append(w.pairs, t.get(s[i].id, s[i+1].id))
	}
	if len(s) > scanLimit {
		w.mergeLong(t)
		return
	}
	pairs := w.pairs
	for {
		best := 0
		for i := range pairs {
			if pairs[i].rank < pairs[best].rank {
				best = i
			}
		}
		if len(pairs) == 0 || pairs[best].rank == noMerge {
			break
		}
		s[best] = symbol{pairs[best].id, s[best].size + s[best+1].size}
		s = slices.Delete(s, best+1, best+2)
		pairs = slices.Delete(pairs, best, best+1)
		if best < len(pairs) {
			pairs[best] = t.get(s[best].id, s[best+1].id)
		}
		if best > 0 {
			pairs[best-1] = t.get(s[best-1].id, s[best].id)
		}
	}
	w.symbols = s
}

// A queued is a pair that may merge, with the position of its first symbol.
type queued struct {
	merge
	pos int32
}

type mergeQueue []queued

func (q mergeQueue) Len() int { return len(q) }
func (q mergeQueue) Less(i, j int) bool {
	return q[i].rank < q[j].rank || q[i].rank == q[j].rank && q[i].pos < q[j].pos
}
func (q mergeQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *mergeQueue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *mergeQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// mergeLong merges a long word in time n log n.
func (w *word) mergeLong(t *mergeTable) {
	s := w.symbols
	w.prev, w.next, w.queue = w.prev[:0], w.next[:0], w.queue[:0]
	for i := range s {
		w.prev, w.next = append(w.prev, int32(i)-1), append(w.next, int32(i)+1)
		if i < len(w.pairs) && w.pairs[i].rank != noMerge {
			w.queue = append(w.queue, queued{w.pairs[i], int32(i)})
		}
	}
	heap.Init(&w.queue)
	for len(w.queue) > 0 {
		top := heap.Pop(&w.queue).(queued)
		i := top.pos
		j := w.next[i]
		if s[i].size < 0 || int(j) >= len(s) || t.get(s[i].id, s[j].id) != top.merge {
			continue // an older state of the word
		}
		s[i] = symbol{top.id, s[i].size + s[j].size}
		s[j].size = -1
		w.next[i] = w.next[j]
		if k := w.next[i]; int(k) < len(s) {
			w.prev[k] = i
			if m := t.get(s[i].id, s[k].id); m.rank != noMerge {
				heap.Push(&w.queue, queued{m, i})
			}
		}
		if k := w.prev[i]; k >= 0 {
			if m := t.get(s[k].id, s[i].id); m.rank != noMerge {
				heap.Push(&w.queue, queued{m, k})
			}
		}
	}
	w.symbols = slices.DeleteFunc(s, func(x symbol) bool { return x.size < 0 })
}

// A tokenCache remembers the tokens of short words. Its size is bounded.
type tokenCache struct {
	seed  maphash.Seed
	slots []atomic.Pointer[cached]
}

type cached struct {
	text   string
	tokens []token
}

const (
	cacheSlots = 1 << 14
	cacheText  = 256 // the longest text in a cache, in bytes
)

func (c *tokenCache) init() {
	c.seed = maphash.MakeSeed()
	c.slots = make([]atomic.Pointer[cached], cacheSlots)
}

func (c *tokenCache) get(text string) ([]token, bool) {
	if len(text) > cacheText {
		return nil, false
	}
	e := c.slots[maphash.String(c.seed, text)&(cacheSlots-1)].Load()
	if e == nil || e.text != text {
		return nil, false
	}
	return e.tokens, true
}

func (c *tokenCache) put(text string, tokens []token) {
	if len(text) <= cacheText {
		e := &cached{strings.Clone(text), slices.Clone(tokens)}
		for i := range e.tokens { // a token must not keep the text that the word is a part of
			if t := &e.tokens[i]; int(t.hi) <= len(text) && t.text == text[t.lo:t.hi] {
				t.text = e.text[t.lo:t.hi]
			}
		}
		c.slots[maphash.String(c.seed, text)&(cacheSlots-1)].Store(e)
	}
}
