package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tokenizer converts text to BERT word-piece IDs, as Hugging Face's tokenizers do for
// uncased models. The results differ for about 600 characters, because Hugging Face's
// Unicode tables are older than Go's.
//
// A Go library for Hugging Face's tokenizer files, github.com/sugarme/tokenizer, gave
// wrong IDs for half of the texts with non-Latin characters, and panicked for some.
type Tokenizer struct {
	first map[string]int64 // pieces that begin a word, with their IDs
	inner map[string]int64 // pieces inside a word, which begin with "##" in the vocabulary

	cls, sep, unk int64
	special       []string // tokens that a text may contain literally
}

// The maximum number of tokens in a text, including the first and the last, and the maximum
// number of characters in a word. A longer word becomes the token for unknown words.
const (
	maxTokens    = 256
	maxWordRunes = 100
)

// OpenTokenizer reads vocab.txt from a directory.
func OpenTokenizer(folder string) (*Tokenizer, error) {
	path := filepath.Join(folder, "vocab.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{
		first: map[string]int64{}, inner: map[string]int64{},
		special: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
	}
	for i, piece := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if rest, ok := strings.CutPrefix(piece, "##"); ok && rest != "" {
			t.inner[rest] = int64(i)
		} else {
			t.first[piece] = int64(i)
		}
	}
	for _, s := range t.special {
		if _, ok := t.first[s]; !ok {
			return nil, fmt.Errorf("%s: the vocabulary lacks %s", path, s)
		}
	}
	t.cls, t.sep, t.unk = t.first["[CLS]"], t.first["[SEP]"], t.first["[UNK]"]
	return t, nil
}

// Encode returns the token IDs of a text: the token CLS, then at most 254 word pieces,
// and the token SEP.
func (t *Tokenizer) Encode(text string) []int64 {
	ids := append(make([]int64, 0, 32), t.cls)
	for text != "" && len(ids) < maxTokens {
		at, special := t.nextSpecial(text)
		ids = t.words(ids, text[:at])
		if special != "" {
			ids = append(ids, t.first[special])
		}
		text = text[at+len(special):]
	}
	return append(ids[:min(len(ids), maxTokens-1)], t.sep)
}

// nextSpecial finds the first special token in a text, such as [SEP].
func (t *Tokenizer) nextSpecial(text string) (at int, special string) {
	at = len(text)
	if strings.IndexByte(text, '[') < 0 {
		return at, ""
	}
	for _, s := range t.special {
		if i := strings.Index(text[:at], s); i >= 0 {
			at, special = i, s
		}
	}
	return at, special
}

// words appends the IDs of all word pieces in text to ids.
func (t *Tokenizer) words(ids []int64, text string) []int64 {
	text = normalize(text)
	for text != "" && len(ids) < maxTokens {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case unicode.IsSpace(r):
		case isPunctuation(r):
			ids = t.pieces(ids, text[:size])
		default:
			end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || isPunctuation(r) })
			if end < 0 {
				end = len(text)
			}
			ids, size = t.pieces(ids, text[:end]), end
		}
		text = text[size:]
	}
	return ids
}

// pieces splits a word from left to right into the longest possible pieces, and appends
// their IDs. If a part of the word matches no piece, it appends only the ID for unknown
// words.
func (t *Tokenizer) pieces(ids []int64, word string) []int64 {
	start := len(ids)
	if len(word) > maxWordRunes && utf8.RuneCountInString(word) > maxWordRunes {
		return append(ids, t.unk)
	}
	for pieces := t.first; word != ""; pieces = t.inner {
		end := len(word)
		id, ok := pieces[word]
		for !ok && end > 0 {
			_, size := utf8.DecodeLastRuneInString(word[:end])
			end -= size
			id, ok = pieces[word[:end]]
		}
		if !ok {
			return append(ids[:start], t.unk)
		}
		ids = append(ids, id)
		word = word[end:]
	}
	return ids
}

// normalize performs BERT's normalization. It removes control characters and accents,
// replaces white space with blanks, puts blanks around Chinese characters, and converts
// to lower case.
func normalize(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	ascii := true
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && r > ' ' && r != 0x7f:
			b.WriteByte(lowerASCII(byte(r)))
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case isChinese(r):
			ascii = false
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			ascii = false
			b.WriteRune(r)
		}
	}
	if ascii {
		return b.String()
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(b.String()))
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// isPunctuation reports whether r is punctuation. ASCII symbols such as "$" and "^" count.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		letter := '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
		return r > ' ' && r < 0x7f && !letter
	}
	return unicode.Is(unicode.P, r)
}

// isChinese reports whether r is a Chinese character. Characters that are used only in
// Japanese or Korean do not count.
func isChinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x2F800 && r <= 0x2FA1F
}
