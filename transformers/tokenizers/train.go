package tokenizers

import (
	"container/heap"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// A TrainOption changes how TrainBPE trains.
type TrainOption interface{ trainOption() }

// VocabSize is the number of tokens to stop at. The default is 30000.
type VocabSize int

// MinFrequency is how often a pair of tokens has to occur to be merged. The default is 0.
type MinFrequency int

// SpecialTokens are tokens that get the first IDs and that Decode skips.
type SpecialTokens []string

// SplitPattern is the regular expression whose matches are the words. Tokens do not cross
// words. Without it, words are those of GPT-2.
type SplitPattern string

func (VocabSize) trainOption()     {}
func (MinFrequency) trainOption()  {}
func (SpecialTokens) trainOption() {}
func (SplitPattern) trainOption()  {}

// TrainBPE trains a byte-level BPE tokenizer on texts. Python's BpeTrainer with the alphabet of
// ByteLevel learns the same merges from them. It returns ErrValue for invalid options.
func TrainBPE(texts iter.Seq[string], opts ...TrainOption) (*Tokenizer, error) {
	size, minFrequency := 30000, 0
	var special []string
	var pattern *string
	for _, o := range opts {
		switch o := o.(type) {
		case VocabSize:
			size = int(o)
		case MinFrequency:
			minFrequency = int(o)
		case SpecialTokens:
			special = o
		case SplitPattern:
			s := string(o)
			pattern = &s
		default:
			return nil, fail(ErrValue, "TrainOption", "nil, or a type that embeds an option")
		}
	}
	if size < 0 || size > 1<<24 || minFrequency < 0 {
		return nil, fail(ErrValue, "TrainOption", "a vocabulary of %d tokens, which occur %d times", size, minFrequency)
	}
	doc := newTrainedDoc(special, pattern)
	t, err := doc.tokenizer(nil, nil)
	if err != nil {
		return nil, err
	}
	tr := &trainer{pairs: map[pair]int{}, ids: map[string]uint32{}}
	tr.addAlphabet(special)
	if err := tr.count(t, texts); err != nil {
		return nil, err
	}
	return doc.tokenizer(tr.ids, tr.train(size, minFrequency))
}

// A trainedDoc is the content of a file tokenizer.json.
type trainedDoc struct {
	Version      string           `json:"version"`
	AddedTokens  []map[string]any `json:"added_tokens"`
	PreTokenizer any              `json:"pre_tokenizer"`
	Decoder      any              `json:"decoder"`
	Model        map[string]any   `json:"model"`
}

func newTrainedDoc(special []string, pattern *string) *trainedDoc {
	level := func(regex bool) map[string]any {
		return map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": regex}
	}
	d := &trainedDoc{
		Version: "1.0", AddedTokens: []map[string]any{}, PreTokenizer: level(true), Decoder: level(true),
		Model: map[string]any{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil,
			"end_of_word_suffix": nil,
			"fuse_unk":           false, "byte_fallback": false, "ignore_merges": false,
		},
	}
	for i, s := range special {
		d.AddedTokens = append(d.AddedTokens, map[string]any{
			"id": i, "content": s, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
			"special": true,
		})
	}
	if pattern != nil {
		split := map[string]any{
			"type": "Split", "pattern": map[string]any{"Regex": *pattern}, "behavior": "Isolated", "invert": false,
		}
		d.PreTokenizer = map[string]any{"type": "Sequence", "pretokenizers": []any{split, level(false)}}
	}
	return d
}

func (d *trainedDoc) tokenizer(ids map[string]uint32, merges [][2]string) (*Tokenizer, error) {
	if ids == nil {
		ids = map[string]uint32{}
	}
	if merges == nil {
		merges = [][2]string{}
	}
	d.Model["vocab"], d.Model["merges"] = ids, merges
	b, err := json.Marshal(d)
	if err != nil {
		return nil, &Error{ErrValue, "SpecialTokens", "cannot write the tokenizer", err}
	}
	return FromBytes(b)
}

type pair struct{ a, b uint32 }

// A trainer counts pairs of tokens and merges the most frequent ones.
type trainer struct {
	tokens []string
	ids    map[string]uint32
	words  [][]uint32
	counts []int
	pairs  map[pair]int
	queue  pairQueue
}

func (tr *trainer) add(s string) uint32 {
	id, ok := tr.ids[s]
	if !ok {
		id = uint32(len(tr.tokens))
		tr.ids[s] = id
		tr.tokens = append(tr.tokens, s)
	}
	return id
}

// addAlphabet adds the special tokens and the characters that stand for bytes.
func (tr *trainer) addAlphabet(special []string) {
	for _, s := range special {
		tr.add(s)
	}
	for _, r := range slices.Sorted(slices.Values(byteChars()[:])) {
		tr.add(string(r))
	}
}

// count splits the texts into words and counts them.
func (tr *trainer) count(t *Tokenizer, texts iter.Seq[string]) error {
	counts := map[string]int{}
	var order []string
	for text := range texts {
		if len(text) > maxText {
			return fail(ErrLimit, "texts", "more than %d bytes", maxText)
		}
		s := &splitter{orig: string([]rune(text))}
		s.pieces = []piece{{text: s.orig, hi: int32(len(s.orig)), id: -1}}
		if err := t.preTokenizer.preTokenize(s); err != nil {
			return err
		}
		for i := range s.pieces {
			w := s.pieces[i].text
			if w == "" {
				continue
			}
			if counts[w] == 0 {
				w = strings.Clone(w)
				order = append(order, w)
			}
			counts[w]++
		}
	}
	for _, w := range order {
		word := make([]uint32, 0, len(w))
		for i := range len(w) { // The pre-tokenizer leaves the bytes to the model.
			word = append(word, tr.ids[string(byteChars()[w[i]])])
		}
		tr.words, tr.counts = append(tr.words, word), append(tr.counts, counts[w])
	}
	return nil
}

// A candidate is a pair with its frequency and the words that have it.
type candidate struct {
	pair
	count int
	words map[int]bool
}

// A pairQueue has the most frequent pair first, and then the pair with the lowest IDs.
type pairQueue []candidate

func (q pairQueue) Len() int { return len(q) }
func (q pairQueue) Less(i, j int) bool {
	x, y := &q[i], &q[j]
	switch {
	case x.count != y.count:
		return x.count > y.count
	case x.a != y.a:
		return x.a < y.a
	}
	return x.b < y.b
}
func (q pairQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *pairQueue) Push(x any)   { *q = append(*q, x.(candidate)) }
func (q *pairQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func (tr *trainer) train(size, minFrequency int) [][2]string {
	where := map[pair]map[int]bool{}
	note := func(p pair, word, change int) {
		tr.pairs[p] += change * tr.counts[word]
		if change > 0 {
			if where[p] == nil {
				where[p] = map[int]bool{}
			}
			where[p][word] = true
		}
	}
	enqueue := func() {
		for p, words := range where {
			if n := tr.pairs[p]; n > 0 {
				heap.Push(&tr.queue, candidate{p, n, words})
			}
		}
		clear(where)
	}
	for i, w := range tr.words {
		for j := range len(w) - 1 {
			note(pair{w[j], w[j+1]}, i, 1)
		}
	}
	enqueue()
	var merges [][2]string
	rank := map[pair]int{}
	for len(tr.tokens) < size && len(tr.queue) > 0 {
		top := heap.Pop(&tr.queue).(candidate)
		if n := tr.pairs[top.pair]; n != top.count {
			top.count = n
			heap.Push(&tr.queue, top)
			continue
		}
		if top.count < 1 || top.count < minFrequency {
			break
		}
		a, b := tr.tokens[top.a], tr.tokens[top.b]
		id := tr.add(a + b)
		if i, ok := rank[top.pair]; ok { // Python keeps the last rank of a pair.
			merges[i] = [2]string{}
		}
		rank[top.pair] = len(merges)
		merges = append(merges, [2]string{a, b})
		for _, i := range slices.Sorted(keysOf(top.words)) {
			tr.words[i] = mergePair(tr.words[i], top.pair, id, func(p pair, change int) { note(p, i, change) })
		}
		enqueue()
	}
	return slices.DeleteFunc(merges, func(m [2]string) bool { return m[0] == "" })
}

func keysOf(m map[int]bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// mergePair puts id in place of the pair p in a word, and reports the pairs that this changes.
func mergePair(word []uint32, p pair, id uint32, note func(p pair, change int)) []uint32 {
	out := word[:0]
	for i := 0; i < len(word); i++ {
		if word[i] != p.a || i+1 == len(word) || word[i+1] != p.b {
			out = append(out, word[i])
			continue
		}
		if n := len(out); n > 0 {
			note(pair{out[n-1], p.a}, -1)
			note(pair{out[n-1], id}, 1)
		}
		out = append(out, id)
		i++
		if i+1 < len(word) {
			note(pair{p.b, word[i+1]}, -1)
			note(pair{id, word[i+1]}, 1)
		}
	}
	return out
}
