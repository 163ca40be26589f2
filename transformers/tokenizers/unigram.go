package tokenizers

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"
)

// A unigram is the model of SentencePiece: it takes the tokens with the greatest sum of scores.
type unigram struct {
	vocab        *vocab
	scores       []float64
	trie         *byteTrie
	unk          int64 // or -1
	unkScore     float64
	byteFallback bool
	bytes        [256]int64
	cache        tokenCache
}

// unkPenalty is how much lower than the lowest score unknown characters score.
const unkPenalty = 10

func (m *unigram) vocabulary() *vocab { return m.vocab }

func loadUnigram(o *object) (model, error) {
	var err error
	entries := need[[][]json.RawMessage](o, "vocab", &err)
	m := &unigram{
		unk:          field(o, "unk_id", int64(-1), &err),
		byteFallback: field(o, "byte_fallback", false, &err),
	}
	if err != nil {
		return nil, err
	}
	tokens := make([]string, len(entries))
	m.scores = make([]float64, len(entries))
	m.vocab = &vocab{ids: make(map[string]uint32, len(entries)), dense: tokens, empty: -1, n: len(entries)}
	lowest := math.Inf(1)
	for i, e := range entries {
		if len(e) != 2 || json.Unmarshal(e[0], &tokens[i]) != nil || json.Unmarshal(e[1], &m.scores[i]) != nil {
			return nil, fail(ErrFormat, o.at("vocab"), "entry %d is not a token and its score", i)
		}
		if err := checkLength(o.at("vocab"), tokens[i], maxToken); err != nil {
			return nil, err
		}
		m.vocab.ids[tokens[i]] = uint32(i)
		if tokens[i] == "" {
			m.vocab.empty = int64(i)
		}
		lowest = min(lowest, m.scores[i])
	}
	if _, ok := o.raw("unk_id"); ok && (m.unk < 0 || m.unk >= int64(len(entries))) {
		return nil, fail(ErrFormat, o.at("unk_id"), "%d is not in the vocabulary", m.unk)
	}
	m.unkScore = lowest - unkPenalty
	m.trie = newByteTrie(tokens)
	for b := range m.bytes {
		m.bytes[b] = -1
		if id, ok := m.vocab.id(fmt.Sprintf("<0x%02X>", b)); ok {
			m.bytes[b] = int64(id)
		}
	}
	m.cache.init()
	return m, nil
}

// A bestPath is the best way to reach a position of the text.
type bestPath struct {
	score float64
	from  int32 // or -1
	id    uint32
}

func (m *unigram) tokenize(dst []token, text string) ([]token, error) {
	if text == "" {
		return dst, nil
	}
	if toks, ok := m.cache.get(text); ok {
		return append(dst, toks...), nil
	}
	best := make([]bestPath, len(text)+1)
	for i := range best {
		best[i].from = -1
	}
	for pos := 0; pos < len(text); {
		_, size := utf8.DecodeRuneInString(text[pos:])
		if !m.step(best, text, pos, size) {
			if m.unk < 0 {
				return nil, fail(ErrValue, "model.unk_id", "the text has an unknown character, and the model no unk_id")
			}
			reach(&best[pos+size], m.unkScore+best[pos].score, pos, uint32(m.unk))
		}
		pos += size
	}
	n := len(dst)
	dst, err := m.collect(dst, best, text)
	if err == nil {
		m.cache.put(text, dst[n:])
	}
	return dst, err
}

func reach(b *bestPath, score float64, from int, id uint32) {
	if b.from < 0 || score > b.score {
		*b = bestPath{score, int32(from), id}
	}
}

// step tries all tokens at pos. It reports whether one of them is a single character.
func (m *unigram) step(best []bestPath, text string, pos, size int) bool {
	single := false
	node := uint32(0)
	for i := pos; i < len(text); i++ {
		e := m.trie.edges.get(node, uint32(text[i]))
		if e.rank == noMerge {
			break
		}
		if e.rank != noKey {
			reach(&best[i+1], m.scores[e.rank]+best[pos].score, pos, e.rank)
			single = single || i+1 == pos+size
		}
		node = e.id
	}
	return single
}

// collect appends the tokens of the best path. Adjacent unknown characters are one token.
func (m *unigram) collect(dst []token, best []bestPath, text string) ([]token, error) {
	var cuts []int32 // backwards
	for end := int32(len(text)); end > 0; {
		unknown := int64(best[end].id) == m.unk
		start := best[end].from
		for unknown && start > 0 && int64(best[start].id) == m.unk {
			start = best[start].from
		}
		cuts = append(cuts, end)
		end = start
	}
	start := int32(0)
	for i := len(cuts) - 1; i >= 0; i-- {
		end := cuts[i]
		part := text[start:end]
		id, ok := m.vocab.id(part)
		switch {
		case ok:
			dst = append(dst, token{id, start, end, part})
		case m.byteFallback && m.allBytes(part):
			for j := range len(part) {
				b := uint32(m.bytes[part[j]])
				dst = append(dst, token{b, start, end, m.vocab.dense[b]})
			}
		case m.unk < 0:
			return nil, fail(ErrValue, "model.unk_id", "the text has an unknown part, and the model no unk_id")
		default:
			dst = append(dst, token{uint32(m.unk), start, end, part})
		}
		start = end
	}
	return dst, nil
}

func (m *unigram) allBytes(s string) bool {
	for i := range len(s) {
		if m.bytes[s[i]] < 0 {
			return false
		}
	}
	return true
}
