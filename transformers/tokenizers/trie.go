package tokenizers

// A byteTrie finds keys in a text. Each key has a number.
type byteTrie struct {
	first [256]bool
	// edges maps a node and a byte to the next node (id), and to the number of the key that
	// ends there (rank), or to noKey.
	edges mergeTable
	nodes uint32
}

const noKey = noMerge - 1

func newByteTrie(keys []string) *byteTrie {
	total := 0
	for _, k := range keys {
		total += len(k)
	}
	t := &byteTrie{nodes: 1}
	t.edges.init(total)
	for i, k := range keys {
		if k != "" {
			t.put(k, uint32(i))
		}
	}
	return t
}

func (t *byteTrie) put(key string, n uint32) {
	t.first[key[0]] = true
	node := uint32(0)
	for i := range len(key) {
		e := t.edges.get(node, uint32(key[i]))
		if e.rank == noMerge {
			e = merge{noKey, t.nodes}
			t.nodes++
		}
		if i == len(key)-1 {
			e.rank = n
		}
		t.edges.put(node, uint32(key[i]), e)
		node = e.id
	}
}

// longest returns the longest key at the start of text, or false.
func (t *byteTrie) longest(text string) (key uint32, size int, ok bool) {
	node := uint32(0)
	for i := range len(text) {
		e := t.edges.get(node, uint32(text[i]))
		if e.rank == noMerge {
			break
		}
		if e.rank != noKey {
			key, size, ok = e.rank, i+1, true
		}
		node = e.id
	}
	return key, size, ok
}
