package tokenizers

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A charsMap is the rules of a normalizer of SentencePiece: a double array of keys, and the
// texts that replace them, which end with 0 bytes.
type charsMap struct {
	units []uint32
	texts []byte
}

// maxGrapheme is the length from which on a grapheme is looked up character by character.
const maxGrapheme = 6

func readPrecompiled(o *object) (normalizer, error) {
	var err error
	data, e := base64.StdEncoding.DecodeString(need[string](o, "precompiled_charsmap", &err))
	if err != nil {
		return nil, err
	}
	if e != nil {
		return nil, o.wrong("precompiled_charsmap", e)
	}
	if len(data) < 4 {
		return nil, fail(ErrFormat, o.at("precompiled_charsmap"), "shorter than its header")
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if uint64(size) > uint64(len(data)) || size%4 != 0 || size == 0 {
		return nil, fail(ErrFormat, o.at("precompiled_charsmap"), "the size of the trie is %d", size)
	}
	m := &charsMap{units: make([]uint32, size/4), texts: data[size:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if !utf8.Valid(m.texts) {
		return nil, fail(ErrFormat, o.at("precompiled_charsmap"), "the texts are not UTF-8")
	}
	return m, nil
}

func unitOffset(u uint32) uint32 { return u >> 10 << (u & (1 << 9) >> 6) }

// lookup returns the text for the shortest key that s begins with, as Python's package does.
func (m *charsMap) lookup(s string) (string, bool) {
	pos := unitOffset(m.units[0])
	for i := range len(s) {
		c := uint32(s[i])
		pos ^= c
		if c == 0 || int64(pos) >= int64(len(m.units)) {
			return "", false
		}
		unit := m.units[pos]
		if unit&(1<<31|0xFF) != c {
			return "", false
		}
		pos ^= unitOffset(unit)
		if unit>>8&1 != 1 {
			continue
		}
		if int64(pos) >= int64(len(m.units)) {
			return "", false
		}
		at := m.units[pos] & (1<<31 - 1)
		if int64(at) >= int64(len(m.texts)) || !utf8.RuneStart(m.texts[at]) {
			return "", false
		}
		text := m.texts[at:]
		if end := bytes.IndexByte(text, 0); end >= 0 {
			text = text[:end]
		}
		return string(text), true
	}
	return "", false
}

func (m *charsMap) normalize(orig string, p *piece) error {
	var out []changed
	modified := false
	rest, state := p.text, -1
	for rest != "" {
		if err := checkGrowth(orig, len(out)); err != nil {
			return err
		}
		var g string
		g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if len(g) < maxGrapheme {
			if text, ok := m.lookup(g); ok {
				out, modified = appendReplaced(out, g, text), true
				continue
			}
		}
		for _, r := range g {
			if text, ok := m.lookup(string(r)); ok {
				out, modified = appendReplaced(out, string(r), text), true
			} else {
				out = append(out, changed{r: r})
			}
		}
	}
	if modified {
		w := p.rewrite(orig)
		for _, c := range out {
			w.emit(c.r, c.change)
		}
		p.set(w)
	}
	return nil
}

func appendReplaced(out []changed, from, to string) []changed {
	diff := utf8.RuneCountInString(to) - utf8.RuneCountInString(from)
	for _, r := range to {
		out = append(out, changed{r: r})
	}
	for i := range diff {
		out[len(out)-1-i].change = 1
	}
	if diff < 0 && len(out) > 0 {
		out[len(out)-1].change += diff
	}
	return out
}
