package tokenizers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder changes tokens so that they make up the text when joined.
type decoder interface {
	decode(tokens []string) ([]string, error)
}

type decoderFunc func(tokens []string) []string

func (f decoderFunc) decode(tokens []string) ([]string, error) { return f(tokens), nil }

// mapTokens is a decoder that changes each token by itself.
func mapTokens(fn func(i int, s string) string) decoder {
	return decoderFunc(func(tokens []string) []string {
		out := make([]string, len(tokens))
		for i, s := range tokens {
			out[i] = fn(i, s)
		}
		return out
	})
}

type decoderSequence []decoder

func (s decoderSequence) decode(tokens []string) ([]string, error) {
	var err error
	for _, d := range s {
		if tokens, err = d.decode(tokens); err != nil {
			return nil, err
		}
		total := 0
		for _, s := range tokens {
			total += len(s)
		}
		if total > maxText {
			return nil, fail(ErrLimit, "decoder", "a text of more than %d bytes", maxText)
		}
	}
	return tokens, nil
}

func loadDecoder(path string, raw json.RawMessage, in nesting) (decoder, error) {
	o, err := newObject(path, raw)
	if err != nil {
		return nil, err
	}
	d, err := readDecoder(o, in)
	if err != nil {
		return nil, err
	}
	return d, o.done()
}

func readDecoder(o *object, in nesting) (decoder, error) {
	var err error
	switch kind := need[string](o, "type", &err); kind {
	case "ByteLevel":
		b, err := readByteLevel(o)
		return b, err
	case "ByteFallback":
		return decoderFunc(decodeBytes), nil
	case "Fuse":
		return decoderFunc(func(tokens []string) []string { return []string{strings.Join(tokens, "")} }), nil
	case "Replace":
		return readReplace(o)
	case "Metaspace":
		m, err := readMetaspace(o)
		return m, err
	case "WordPiece":
		prefix, cleanup := need[string](o, "prefix", &err), need[bool](o, "cleanup", &err)
		return mapTokens(func(i int, s string) string {
			if i > 0 {
				rest, ok := strings.CutPrefix(s, prefix)
				if s = rest; !ok {
					s = " " + s
				}
			}
			if cleanup {
				s = cleanUp(s)
			}
			return s
		}), err
	case "BPEDecoder":
		suffix := need[string](o, "suffix", &err)
		return decoderFunc(func(tokens []string) []string {
			out := slices.Clone(tokens)
			for i := range out {
				space := " "
				if i == len(out)-1 {
					space = ""
				}
				out[i] = strings.ReplaceAll(out[i], suffix, space)
			}
			return out
		}), err
	case "Strip":
		c := char(o, "content", &err)
		start, stop := need[uint](o, "start", &err), need[uint](o, "stop", &err)
		return mapTokens(func(_ int, s string) string { return stripChars(s, c, start, stop) }), err
	case "CTC":
		return readCTC(o)
	case "Sequence":
		seq, err := list(o, "decoders", in, loadDecoder)
		return decoderSequence(seq), err
	default:
		if err == nil {
			err = fail(ErrUnsupported, o.path, "the decoder %q", kind)
		}
		return nil, err
	}
}

func (t *byteLevel) decode(tokens []string) ([]string, error) {
	var b []byte
	for _, s := range tokens {
		var ok bool
		if b, ok = fromByteChars(b, s); !ok {
			b = append(b, s...)
		}
	}
	return []string{lossy(b)}, nil
}

// lossy puts one U+FFFD in place of each maximal invalid part, as Rust and Python do.
func lossy(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = invalidPrefix(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// invalidPrefix returns the length of the longest prefix of b, which is invalid, that a
// character could begin with, and at least 1.
func invalidPrefix(b []byte) int {
	size := 0
	lo, hi := byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		size = 2
	case c >= 0xE0 && c <= 0xEF:
		size = 3
		switch c {
		case 0xE0:
			lo = 0xA0
		case 0xED:
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		size = 4
		switch c {
		case 0xF0:
			lo = 0x90
		case 0xF4:
			hi = 0x8F
		}
	}
	n := 1
	for n < size && n < len(b) && b[n] >= lo && b[n] <= hi {
		n++
		lo, hi = 0x80, 0xBF
	}
	return n
}

// decodeBytes joins runs of tokens such as <0xE2> to text.
func decodeBytes(tokens []string) []string {
	var out []string
	var run []byte
	flush := func() {
		if len(run) == 0 {
			return
		}
		if utf8.Valid(run) {
			out = append(out, string(run))
		} else {
			for range run {
				out = append(out, "\uFFFD")
			}
		}
		run = run[:0]
	}
	for _, s := range tokens {
		if len(s) == 6 && strings.HasPrefix(s, "<0x") && s[5] == '>' {
			if b, err := strconv.ParseUint(strings.TrimPrefix(s[3:5], "+"), 16, 8); err == nil {
				run = append(run, byte(b))
				continue
			}
		}
		flush()
		out = append(out, s)
	}
	flush()
	return out
}

func (r *replacer) decode(tokens []string) ([]string, error) {
	out := make([]string, len(tokens))
	total := 0
	for i, s := range tokens {
		matches, err := r.pattern.findAll(nil, s)
		if err != nil {
			return nil, err
		}
		if total += len(s) + len(matches)*len(r.content); total > maxText {
			return nil, fail(ErrLimit, "decoder", "a text of more than %d bytes", maxText)
		}
		var b strings.Builder
		last := 0
		for _, m := range matches {
			b.WriteString(s[last:m.lo])
			b.WriteString(r.content)
			last = m.hi
		}
		b.WriteString(s[last:])
		out[i] = b.String()
	}
	return out, nil
}

func (m *metaspace) decode(tokens []string) ([]string, error) {
	out := make([]string, len(tokens))
	for i, s := range tokens {
		space := " "
		if i == 0 && m.prepend != "never" {
			space = ""
		}
		out[i] = strings.ReplaceAll(s, m.mark, space)
	}
	return out, nil
}

// cleanUp undoes the spaces that splitting at punctuation makes.
func cleanUp(s string) string {
	if !strings.Contains(s, " ") {
		return s
	}
	for _, p := range [][2]string{
		{" .", "."},
		{" ?", "?"},
		{" !", "!"},
		{" ,", ","},
		{" ' ", "'"},
		{" n't", "n't"},
		{" 'm", "'m"},
		{" do not", " don't"},
		{" 's", "'s"},
		{" 've", "'ve"},
		{" 're", "'re"},
	} {
		s = strings.ReplaceAll(s, p[0], p[1])
	}
	return s
}

// stripChars removes up to start characters c from the start of s, and up to stop from its end.
func stripChars(s string, c rune, start, stop uint) string {
	runes := []rune(s)
	a, b := 0, len(runes)
	for a < len(runes) && uint(a) < start && runes[a] == c {
		a++
	}
	for b > 0 && uint(len(runes)-b) < stop && runes[b-1] == c {
		b--
	}
	if a >= b {
		return ""
	}
	return string(runes[a:b])
}

func readCTC(o *object) (decoder, error) {
	var err error
	pad := need[string](o, "pad_token", &err)
	delimiter := need[string](o, "word_delimiter_token", &err)
	cleanup := need[bool](o, "cleanup", &err)
	return decoderFunc(func(tokens []string) []string {
		var out []string
		for _, s := range slices.Compact(slices.Clone(tokens)) {
			s = strings.ReplaceAll(s, pad, "")
			if cleanup {
				s = strings.ReplaceAll(cleanUp(s), delimiter, " ")
			}
			if s != "" {
				out = append(out, s)
			}
		}
		return out
	}), err
}
