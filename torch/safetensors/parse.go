package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/gotorch/gotorch/torch"
)

const metadataKey = "__metadata__"

// parser reads the JSON of a header token by token. It returns only what a header may
// contain, and rejects repeated keys.
type parser struct {
	path string
	base int64 // offset in the file at which the text begins
	text []byte
	dec  *json.Decoder
}

func (p *parser) header() (*header, error) {
	if p.text[0] != '{' {
		return nil, p.fault(0, "expected the header to begin with {, got %q", p.text[:1])
	}
	if err := p.checkText(); err != nil {
		return nil, err
	}
	p.dec = json.NewDecoder(bytes.NewReader(p.text))
	p.dec.UseNumber()
	h := &header{}
	seen := map[string]bool{}
	err := p.object("the header", seen, func(key string) error {
		if key == metadataKey {
			return p.metadata(h)
		}
		info := Info{Name: key}
		if err := p.info(&info); err != nil {
			var e *torch.FileError
			if errors.As(err, &e) {
				e.Tensor = key
			}
			return err
		}
		h.infos = append(h.infos, info)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// fault returns an error for the given offset in the text.
func (p *parser) fault(at int64, format string, args ...any) *torch.FileError {
	return fault(p.path, torch.ErrFormat, p.base+at, format, args...)
}

// checkText checks that the header is valid JSON, and that package json reads it without
// replacing invalid characters.
func (p *parser) checkText() error {
	for at := 0; at < len(p.text); {
		r, n := utf8.DecodeRune(p.text[at:])
		if r == utf8.RuneError && n == 1 {
			return p.fault(int64(at), "the header is not valid UTF-8")
		}
		if r == '\\' {
			switch escape := surrogates(p.text[at:]); escape {
			case -1:
				return p.fault(int64(at), "half of a surrogate pair, %s", p.text[at:min(len(p.text), at+6)])
			default:
				n = escape
			}
		}
		at += n
	}
	if !json.Valid(p.text) {
		var raw json.RawMessage
		var syntax *json.SyntaxError
		if err := json.Unmarshal(p.text, &raw); errors.As(err, &syntax) {
			return p.fault(max(0, syntax.Offset-1), "the header is not valid JSON: %v", syntax)
		}
		return p.fault(0, "the header is not valid JSON")
	}
	return nil
}

// surrogates returns the length in bytes of the escape sequence at the start of b. It is
// 12 for a surrogate pair, and 2 for any other sequence. For half a surrogate pair it
// returns -1.
func surrogates(b []byte) int {
	unit := func(b []byte) uint64 {
		if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
			return 0
		}
		u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		if err != nil {
			return 0
		}
		return u
	}
	switch u := unit(b); {
	case u >= 0xdc00 && u < 0xe000:
		return -1
	case u >= 0xd800 && u < 0xdc00:
		if low := unit(b[6:]); low < 0xdc00 || low >= 0xe000 {
			return -1
		}
		return 12
	}
	return min(2, len(b))
}

// at returns the position of the next token.
func (p *parser) at() int64 {
	at := p.dec.InputOffset()
	for at < int64(len(p.text)) && bytes.IndexByte([]byte(" \t\r\n,:"), p.text[at]) >= 0 {
		at++
	}
	return at
}

// token reads a token. There must be one, because the text has been checked.
func (p *parser) token() (any, error) {
	at := p.at()
	t, err := p.dec.Token()
	if err != nil {
		return nil, p.fault(at, "the header is not valid JSON: %v", err)
	}
	return t, nil
}

// object reads an object. The argument what is its name in errors. object calls value for
// each key, and value must read the value of the key. seen contains the keys so far; a
// repeated key is an error.
func (p *parser) object(what string, seen map[string]bool, value func(key string) error) error {
	at := p.at()
	t, err := p.token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return p.fault(at, "expected %s to be an object, got %s", what, kindOf(t))
	}
	for p.dec.More() {
		at := p.at()
		t, err := p.token()
		if err != nil {
			return err
		}
		key, _ := t.(string) // a key is always a string
		if seen[key] {
			return p.fault(at, "%s has key %s twice", what, quote(key))
		}
		seen[key] = true
		if err := value(key); err != nil {
			return err
		}
	}
	_, err = p.token()
	return err
}

func (p *parser) word(what string) (string, error) {
	at := p.at()
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", p.fault(at, "expected %s to be a string, got %s", what, kindOf(t))
	}
	return s, nil
}

// metadata reads the metadata. As in Python, null means that there is none.
func (p *parser) metadata(h *header) error {
	if bytes.HasPrefix(p.text[p.at():], []byte("null")) {
		_, err := p.token()
		return err
	}
	h.metadata = map[string]string{}
	return p.object(metadataKey, map[string]bool{}, func(key string) error {
		s, err := p.word(metadataKey + "[" + quote(key) + "]")
		h.metadata[key] = s
		return err
	})
}

// info reads the header's entry for one tensor. Offset is relative to the end of the
// header.
func (p *parser) info(info *Info) error {
	begins := p.at()
	seen := map[string]bool{}
	err := p.object("its entry", seen, func(key string) error {
		switch at := p.at(); key {
		case "dtype":
			s, err := p.word("dtype")
			if err != nil {
				return err
			}
			if info.code = codeNamed(s); info.code < 0 {
				return p.fault(at, "unknown dtype %s", quote(s))
			}
			info.Code, info.DType = codes[info.code].name, codes[info.code].dtype
			return nil
		case "shape":
			return p.numbers("shape", maxDims, &info.Shape)
		case "data_offsets":
			var ends torch.Shape
			if err := p.numbers("data_offsets", 2, &ends); err != nil {
				return err
			}
			if len(ends) != 2 || ends[0] > ends[1] {
				return p.fault(at, "expected data_offsets to be a begin and an end, got %v", []int64(ends))
			}
			info.Offset, info.Bytes = ends[0], ends[1]-ends[0]
			return nil
		default:
			return p.fault(at, "expected dtype, shape and data_offsets, got %s", quote(key))
		}
	})
	if err != nil {
		return err
	}
	for _, key := range []string{"dtype", "shape", "data_offsets"} {
		if !seen[key] {
			return p.fault(begins, "%s is missing", key)
		}
	}
	return nil
}

// numbers reads a list of non-negative integers. most is the largest allowed length.
func (p *parser) numbers(what string, most int, to *torch.Shape) error {
	at := p.at()
	t, err := p.token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return p.fault(at, "expected %s to be a list of numbers, got %s", what, kindOf(t))
	}
	list := torch.Shape{}
	for p.dec.More() {
		at := p.at()
		t, err := p.token()
		if err != nil {
			return err
		}
		number, ok := t.(json.Number)
		if !ok {
			return p.fault(at, "expected %s to be a list of numbers, got %s in it", what, kindOf(t))
		}
		n, err := strconv.ParseUint(number.String(), 10, 64)
		if err != nil || n > math.MaxInt64 {
			return p.fault(at, "expected an integer from 0 to %d in %s, got %s", int64(math.MaxInt64), what,
				clip(number.String()))
		}
		if len(list) == most {
			e := p.fault(at, "%s has more than %d numbers", what, most)
			if most == maxDims { // the file may be valid, because the format has no such limit
				e.Kind = torch.ErrUnsupported
			}
			return e
		}
		list = append(list, int64(n))
	}
	*to = list
	_, err = p.token()
	return err
}

// kindOf describes a token, for errors.
func kindOf(t any) string {
	switch t := t.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "a list"}[t]
	case string:
		return "the string " + quote(t)
	case json.Number:
		return clip(t.String())
	case bool:
		return strconv.FormatBool(t)
	default:
		return "null"
	}
}

// quote and clip make text from a file safe to print: quote escapes it, and clip shortens
// it.
func quote(s string) string { return strconv.Quote(clip(s)) }

func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
