package tokenizers

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// An AddedToken is a token that is found in the text before all others.
type AddedToken struct {
	// Content is the token.
	Content string
	// SingleWord means that the token matches only if no letter or digit is beside it.
	SingleWord bool
	// LStrip and RStrip mean that the token includes the white space on its left or right.
	LStrip, RStrip bool
	// Normalized means that the token matches in normalized text.
	Normalized bool
	// Special means that Decode skips the token.
	Special bool
}

// addedVocab is the vocabulary of added tokens.
type addedVocab struct {
	ids        map[string]uint32
	tokens     map[uint32]AddedToken
	special    map[string]bool
	normalized map[uint32]string // differs from the content

	plain, norm *addedTrie
}

// An addedTrie finds added tokens in a text.
type addedTrie struct {
	trie *byteTrie
	ids  []uint32
}

func newAddedVocab() *addedVocab {
	return &addedVocab{
		ids: map[string]uint32{}, tokens: map[uint32]AddedToken{}, special: map[string]bool{},
		normalized: map[uint32]string{},
	}
}

// add adds tokens as Python does: it keeps the IDs that the model gives them.
func (v *addedVocab) add(tokens []AddedToken, m model, n normalizer) (int, error) {
	count := 0
	voc := m.vocabulary()
	next := uint32(voc.size())
	for id := range v.tokens {
		if id >= next {
			next = id + 1
		}
	}
	for _, t := range tokens {
		if t.Content == "" {
			continue
		}
		if err := checkLength("added_tokens", t.Content, maxToken); err != nil {
			return 0, err
		}
		id, ok := v.ids[t.Content]
		if ok && v.tokens[id] == t {
			continue
		}
		count++
		if !ok {
			if id, ok = voc.id(t.Content); !ok {
				id = next
				next++
			}
		}
		if t.Normalized && n != nil {
			p := piece{text: t.Content, hi: int32(len(t.Content)), id: -1}
			if err := n.normalize(t.Content, &p); err != nil {
				return 0, err
			}
			if err := checkLength("added_tokens", p.text, maxToken); err != nil {
				return 0, err
			}
			if p.text != t.Content {
				v.normalized[id] = p.text
			}
		}
		v.ids[t.Content] = id
		if t.Special {
			v.special[t.Content] = true
		}
		v.tokens[id] = t
	}
	return count, v.index()
}

// index builds the tries.
func (v *addedVocab) index() error {
	var plain, norm addedTrie
	var plainKeys, normKeys []string
	seen := [2]map[string]bool{{}, {}}
	for _, id := range slices.Sorted(maps.Keys(v.tokens)) {
		t := v.tokens[id]
		key, which := t.Content, 0
		if t.Normalized {
			which = 1
			if s, ok := v.normalized[id]; ok {
				key = s
			}
		}
		if key == "" || seen[which][key] {
			return fail(ErrFormat, "added_tokens", "the token %q is the same as another one when normalized", t.Content)
		}
		seen[which][key] = true
		if t.Normalized {
			norm.ids, normKeys = append(norm.ids, id), append(normKeys, key)
		} else {
			plain.ids, plainKeys = append(plain.ids, id), append(plainKeys, key)
		}
	}
	v.plain, v.norm = nil, nil
	if len(plainKeys) > 0 {
		plain.trie = newByteTrie(plainKeys)
		v.plain = &plain
	}
	if len(normKeys) > 0 {
		norm.trie = newByteTrie(normKeys)
		v.norm = &norm
	}
	return nil
}

// split cuts p at the added tokens that t finds.
func (v *addedVocab) split(s *splitter, p *piece, t *addedTrie) {
	text := p.text
	if t == nil {
		if text != "" {
			s.out = append(s.out, *p)
		}
		return
	}
	start := 0 // the end of the last token
	blank := 0 // the end of the white space that tokens have taken
	for pos := 0; pos < len(text); {
		if !t.trie.first[text[pos]] {
			pos++
			continue
		}
		key, n, ok := t.trie.longest(text[pos:])
		if !ok {
			pos++
			continue
		}
		lo, hi := pos, pos+n
		pos = hi
		id := t.ids[key]
		tok := v.tokens[id]
		if tok.SingleWord &&
			(wordAt(utf8.DecodeLastRuneInString(text[:lo])) || wordAt(utf8.DecodeRuneInString(text[hi:]))) {
			continue
		}
		if tok.LStrip {
			// The last token may have taken the white space up to start, which is behind this one.
			lo = min(start+len(strings.TrimRightFunc(text[min(start, lo):lo], isSpace)), lo)
		}
		if tok.RStrip {
			hi = max(hi, blank)
			hi = len(text) - len(strings.TrimLeftFunc(text[hi:], isSpace))
			blank = hi
		}
		s.add(p, start, lo)
		q := p.slice(s.orig, lo, hi)
		q.id = int64(id)
		s.out = append(s.out, q)
		start = hi
	}
	if start == 0 && text != "" {
		s.out = append(s.out, *p)
	} else {
		s.add(p, start, len(text))
	}
}

func wordAt(r rune, size int) bool {
	u := chars()
	return size > 0 && u.props(r)&u.word != 0
}
