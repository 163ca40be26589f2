package serialization

import "encoding/binary"

// PyTorch gives each archive an ID that depends on its contents. The first half is a hash
// of the names of the entries, in the order of an unordered_set in libstdc++. The second
// half is a hash of their checksums, in the order in which they were written. The code
// below computes the ID as libstdc++ does, so that files equal Python's.

// combine implements c10::hash_combine.
func combine(seed, v uint64) uint64 { return seed ^ (v + 0x9e3779b9 + seed<<6 + seed>>2) }

// murmur implements libstdc++'s hash of a string.
func murmur(s string) uint64 {
	const mul = 0xc6a4a7935bd1e995
	const seed = 0xc70f6907
	mix := func(v uint64) uint64 { return v ^ v>>47 }
	h := seed ^ uint64(len(s))*mul
	for ; len(s) >= 8; s = s[8:] {
		h ^= mix(binary.LittleEndian.Uint64([]byte(s))*mul) * mul
		h *= mul
	}
	if len(s) > 0 {
		var last uint64
		for i := len(s) - 1; i >= 0; i-- {
			last = last<<8 | uint64(s[i])
		}
		h = (h ^ last) * mul
	}
	h = mix(h) * mul
	return mix(h)
}

// stringSet is a set of strings in the order of a std::unordered_set.
type stringSet struct {
	first   *stringNode            // a node whose next node is the first one of the set
	buckets map[uint64]*stringNode // for each bucket, the node before its first node
	n       uint64                 // number of buckets
	size    uint64
}

type stringNode struct {
	hash uint64
	next *stringNode
}

// primes are the numbers of buckets that a growing std::unordered_set uses.
var primes = []uint64{
	1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933,
	351061, 712697, 1447153, 2938679,
}

func (s *stringSet) add(name string) {
	if s.first == nil {
		s.first, s.n = new(stringNode), 1
		s.buckets = map[uint64]*stringNode{}
	}
	if s.size+1 > s.n || s.size == 0 {
		for _, p := range primes {
			if p > s.n {
				s.rehash(p)
				break
			}
		}
	}
	s.size++
	s.insert(&stringNode{hash: murmur(name)})
}

// insert adds a node at the front of its bucket, or of the list if its bucket is empty.
func (s *stringSet) insert(node *stringNode) {
	b := node.hash % s.n
	if before := s.buckets[b]; before != nil {
		node.next = before.next
		before.next = node
		return
	}
	node.next = s.first.next
	s.first.next = node
	if node.next != nil {
		s.buckets[node.next.hash%s.n] = node
	}
	s.buckets[b] = s.first
}

func (s *stringSet) rehash(n uint64) {
	node := s.first.next
	s.first.next, s.n, s.buckets = nil, n, map[uint64]*stringNode{}
	for node != nil {
		next := node.next
		s.insert(node)
		node = next
	}
}

func (s *stringSet) hash() uint64 {
	var h uint64
	if s.first == nil {
		return h
	}
	for node := s.first.next; node != nil; node = node.next {
		h = combine(h, node.hash)
	}
	return h
}
