package tokenizers

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// A normalizer changes the text of a piece.
type normalizer interface {
	normalize(orig string, p *piece) error
}

type normalizerFunc func(orig string, p *piece)

func (f normalizerFunc) normalize(orig string, p *piece) error {
	f(orig, p)
	return nil
}

type normalizerSequence []normalizer

func (s normalizerSequence) normalize(orig string, p *piece) error {
	for _, n := range s {
		if err := n.normalize(orig, p); err != nil {
			return err
		}
		if err := checkGrowth(orig, len(p.text)); err != nil {
			return err
		}
	}
	return nil
}

// checkGrowth returns an error if a normalizer makes far too much of a text.
func checkGrowth(orig string, n int) error {
	if limit := max(1<<22, 64*len(orig)); n > limit {
		return fail(ErrLimit, "normalizer", "a normalized text of more than %d bytes", limit)
	}
	return nil
}

func loadNormalizer(path string, raw json.RawMessage, in nesting) (normalizer, error) {
	o, err := newObject(path, raw)
	if err != nil {
		return nil, err
	}
	n, err := readNormalizer(o, in)
	if err != nil {
		return nil, err
	}
	return n, o.done()
}

func readNormalizer(o *object, in nesting) (normalizer, error) {
	var err error
	switch kind := need[string](o, "type", &err); kind {
	case "NFC", "NFD", "NFKC", "NFKD":
		compat, compose := kind[2] == 'K', strings.HasSuffix(kind, "C")
		return normalizerFunc(func(orig string, p *piece) { p.form(orig, compat, compose) }), nil
	case "Lowercase":
		return normalizerFunc(func(orig string, p *piece) { p.lower(orig) }), nil
	case "StripAccents":
		return normalizerFunc(func(orig string, p *piece) {
			u := chars()
			p.filter(orig, func(r rune) bool { return u.props(r)&u.mark == 0 })
		}), nil
	case "Strip":
		left, right := need[bool](o, "strip_left", &err), need[bool](o, "strip_right", &err)
		return normalizerFunc(func(orig string, p *piece) { p.strip(left, right) }), err
	case "Prepend":
		s := need[string](o, "prepend", &err)
		return normalizerFunc(func(orig string, p *piece) {
			if p.text != "" {
				p.prepend(orig, s)
			}
		}), err
	case "Nmt":
		return normalizerFunc(func(orig string, p *piece) { p.nmt(orig) }), nil
	case "ByteLevel":
		return normalizerFunc(func(orig string, p *piece) { p.toByteChars(orig) }), nil
	case "BertNormalizer":
		return readBertNormalizer(o)
	case "Replace":
		return readReplace(o)
	case "Precompiled":
		return readPrecompiled(o)
	case "Sequence":
		seq, err := list(o, "normalizers", in, loadNormalizer)
		return normalizerSequence(seq), err
	default:
		if err == nil {
			err = fail(ErrUnsupported, o.path, "the normalizer %q", kind)
		}
		return nil, err
	}
}

func (p *piece) lower(orig string) {
	u := chars()
	var one [1]rune
	p.replaceRunes(orig, func(r rune) []rune {
		switch {
		case r < utf8.RuneSelf:
			if r < 'A' || r > 'Z' {
				return nil
			}
			one[0] = r + 'a' - 'A'
			return one[:]
		case u.props(r)&propLower != 0:
			return u.lower[r]
		}
		return nil
	})
}

func isSpace(r rune) bool {
	u := chars()
	return u.props(r)&u.space != 0
}

// strip removes white space from the ends of the text.
func (p *piece) strip(left, right bool) {
	text := p.text
	if right {
		text = strings.TrimRightFunc(text, isSpace)
	}
	if p.align != nil {
		p.align = p.align[:len(text)]
	}
	if left {
		rest := strings.TrimLeftFunc(text, isSpace)
		n := len(text) - len(rest)
		if p.align != nil {
			p.align = p.align[n:]
		} else {
			k := min(int32(n), p.ins)
			p.ins -= k
			p.base += int32(n) - k
		}
		text = rest
	}
	p.text = text
}

func (p *piece) nmt(orig string) {
	p.filter(orig, func(r rune) bool {
		return (r < 1 || r > 8) && r != 0xB && (r < 0xE || r > 0x1F) && r != 0x7F && r != 0x8F && r != 0x9F
	})
	space := []rune{' '}
	p.replaceRunes(orig, func(r rune) []rune {
		switch {
		case r == 9, r == 0xA, r == 0xC, r == 0xD, r == 0x1680, r >= 0x200B && r <= 0x200F,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			return space
		}
		return nil
	})
}

func readBertNormalizer(o *object) (normalizer, error) {
	var err error
	clean := need[bool](o, "clean_text", &err)
	chinese := need[bool](o, "handle_chinese_chars", &err)
	lower := need[bool](o, "lowercase", &err)
	accents := field(o, "strip_accents", lower, &err)
	return normalizerFunc(func(orig string, p *piece) {
		u := chars()
		if clean {
			p.clean(orig)
		}
		if chinese {
			p.replaceRunes(orig, func(r rune) []rune {
				if r >= 0x3400 && isChinese(r) {
					return []rune{' ', r, ' '}
				}
				return nil
			})
		}
		if accents {
			p.form(orig, false, false)
			p.filter(orig, func(r rune) bool { return r < utf8.RuneSelf || u.props(r)&u.nonspacing == 0 })
		}
		if lower {
			p.lower(orig)
		}
	}), err
}

// clean removes control characters, and writes all white space as spaces.
func (p *piece) clean(orig string) {
	u := chars()
	p.filter(orig, func(r rune) bool { return r != 0 && r != utf8.RuneError && u.props(r)&u.control == 0 })
	space := []rune{' '}
	p.replaceRunes(orig, func(r rune) []rune {
		if r != ' ' && u.props(r)&u.space != 0 {
			return space
		}
		return nil
	})
}

var chineseRanges = [][2]rune{
	{0x3400, 0x4DBF},
	{0x4E00, 0x9FFF},
	{0xF900, 0xFAFF},
	{0x20000, 0x2A6DF},
	{0x2A700, 0x2B73F},
	{0x2B740, 0x2B81F},
	{0x2B920, 0x2CEAF},
	{0x2F800, 0x2FA1F},
}

func isChinese(r rune) bool {
	return slices.ContainsFunc(chineseRanges, func(b [2]rune) bool { return b[0] <= r && r <= b[1] })
}

// A pattern is a string or a regular expression to search for.
type pattern struct {
	literal string
	re      *regex
}

func readPattern(o *object, key string) (pattern, error) {
	raw, ok := o.raw(key)
	if !ok {
		return pattern{}, o.missing(key)
	}
	sub, err := newObject(o.at(key), raw)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{literal: field(sub, "String", "", &err)}
	expr := field(sub, "Regex", "", &err)
	_, isString := sub.raw("String")
	_, isRegex := sub.raw("Regex")
	if err == nil && isString == isRegex {
		err = fail(ErrFormat, o.at(key), "neither String nor Regex")
	}
	if err == nil && (isRegex || p.literal == "") {
		p.re, err = compileRegex(expr)
	}
	if err == nil {
		err = sub.done()
	}
	return p, err
}

func (p *pattern) findAll(dst []match, text string) ([]match, error) {
	if p.re != nil {
		return p.re.findAll(dst, text)
	}
	for pos := 0; ; {
		i := strings.Index(text[pos:], p.literal)
		if i < 0 {
			return dst, nil
		}
		pos += i + len(p.literal)
		dst = append(dst, match{pos - len(p.literal), pos})
	}
}

// A replacer is the normalizer and decoder Replace.
type replacer struct {
	pattern pattern
	content string
}

func readReplace(o *object) (*replacer, error) {
	p, err := readPattern(o, "pattern")
	return &replacer{p, need[string](o, "content", &err)}, err
}

func (r *replacer) normalize(orig string, p *piece) error {
	matches, err := r.pattern.findAll(nil, p.text)
	if err == nil {
		err = checkGrowth(orig, len(matches)*len(r.content))
	}
	if err == nil {
		p.replace(orig, matches, r.content)
	}
	return err
}
