package tokenizers

import (
	"encoding/json"
	"unicode/utf8"
)

// A postProcessor adds special tokens to the encodings of one or two texts.
type postProcessor interface {
	// added returns the number of tokens that process adds.
	added(pair bool) int
	process(parts []*Encoding, special bool) ([]*Encoding, error)
}

func loadPostProcessor(path string, raw json.RawMessage, in nesting) (postProcessor, error) {
	o, err := newObject(path, raw)
	if err != nil {
		return nil, err
	}
	p, err := readPostProcessor(o, in)
	if err != nil {
		return nil, err
	}
	return p, o.done()
}

func readPostProcessor(o *object, in nesting) (postProcessor, error) {
	var err error
	switch kind := need[string](o, "type", &err); kind {
	case "ByteLevel":
		b, err := readByteLevel(o)
		return b, err
	case "BertProcessing", "RobertaProcessing":
		p := &clsSep{roberta: kind == "RobertaProcessing"}
		p.cls, p.sep = readSpecial(o, "cls", &err), readSpecial(o, "sep", &err)
		if p.roberta {
			p.trim = need[bool](o, "trim_offsets", &err)
			p.prefixSpace = need[bool](o, "add_prefix_space", &err)
		}
		return p, err
	case "TemplateProcessing":
		return readTemplate(o)
	case "Sequence":
		seq, err := list(o, "processors", in, loadPostProcessor)
		return processorSequence(seq), err
	default:
		if err == nil {
			err = fail(ErrUnsupported, o.path, "the post-processor %q", kind)
		}
		return nil, err
	}
}

type processorSequence []postProcessor

func (s processorSequence) added(pair bool) int {
	n := 0
	for _, p := range s {
		n += p.added(pair)
	}
	return n
}

func (s processorSequence) process(parts []*Encoding, special bool) ([]*Encoding, error) {
	var err error
	for _, p := range s {
		if parts, err = p.process(parts, special); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// A specialToken is a token with its ID.
type specialToken struct {
	token string
	id    int64
}

func (t specialToken) encoding() *Encoding { return special([]int64{t.id}, []string{t.token}, 0) }

func readSpecial(o *object, key string, err *error) specialToken {
	pair := need[[]json.RawMessage](o, key, err)
	var t specialToken
	var id uint32
	if *err == nil &&
		(len(pair) != 2 || json.Unmarshal(pair[0], &t.token) != nil || json.Unmarshal(pair[1], &id) != nil) {
		*err = fail(ErrFormat, o.at(key), "not a token and its ID")
	}
	t.id = int64(id)
	return t
}

// A clsSep is the post-processor of BERT or of RoBERTa.
type clsSep struct {
	cls, sep    specialToken
	roberta     bool
	trim        bool
	prefixSpace bool
}

func (p *clsSep) added(pair bool) int {
	switch {
	case !pair:
		return 2
	case p.roberta:
		return 4
	}
	return 3
}

func (p *clsSep) process(parts []*Encoding, special bool) ([]*Encoding, error) {
	if p.roberta {
		for _, e := range parts {
			if p.trim {
				e.trimOffsets(p.prefixSpace)
			}
			e.setType(0)
		}
	}
	if !special {
		return parts, nil
	}
	out := make([]*Encoding, len(parts))
	for i, e := range parts {
		sep := p.sep.encoding()
		switch {
		case i == 0:
			out[i] = mergeEncodings([]*Encoding{p.cls.encoding(), e, sep})
			out[i].special(1, 1)
		case p.roberta:
			out[i] = mergeEncodings([]*Encoding{p.sep.encoding(), e, sep})
			out[i].special(1, 1)
		default:
			sep.setType(1)
			out[i] = mergeEncodings([]*Encoding{e, sep})
			out[i].special(0, 1)
		}
	}
	return out, nil
}

// special marks only the first a and the last b tokens as special, and all as attended to.
func (e *Encoding) special(a, b int) {
	for i := range e.IDs {
		e.SpecialTokensMask[i], e.AttentionMask[i] = 0, 1
		if i < a || i >= len(e.IDs)-b {
			e.SpecialTokensMask[i] = 1
		}
	}
}

func (t *byteLevel) added(bool) int { return 0 }

func (t *byteLevel) process(parts []*Encoding, _ bool) ([]*Encoding, error) {
	if t.trim {
		for _, e := range parts {
			e.trimOffsets(t.prefixSpace)
		}
	}
	return parts, nil
}

// trimOffsets removes white space from the offsets.
func (e *Encoding) trimOffsets(prefixSpace bool) {
	blank := func(r rune) bool { return r == byteChars()[' '] || isSpace(r) }
	for i, t := range e.Tokens {
		leading, trailing := 0, 0
		for _, r := range t {
			if !blank(r) {
				break
			}
			leading++
		}
		for s := t; s != ""; trailing++ {
			r, n := utf8.DecodeLastRuneInString(s)
			if !blank(r) {
				break
			}
			s = s[:len(s)-n]
		}
		o := &e.Offsets[i]
		if leading > 0 {
			if (i == 0 || o[0] == 0) && prefixSpace && leading == 1 {
				leading = 0 // the space that the pre-tokenizer has added
			}
			o[0] = min(o[0]+leading, o[1])
		}
		if trailing > 0 && o[1] >= trailing {
			o[1] = max(o[1]-trailing, o[0])
		}
	}
}

// A template is the post-processor TemplateProcessing.
type template struct {
	single, pair []templatePiece
}

// A templatePiece is the text number seq, or special tokens if seq is -1.
type templatePiece struct {
	seq    int
	typeID int64
	ids    []int64
	tokens []string
}

type templateToken struct {
	IDs    []uint32 `json:"ids"`
	Tokens []string `json:"tokens"`
}

func readTemplate(o *object) (*template, error) {
	var err error
	tokens := need[map[string]templateToken](o, "special_tokens", &err)
	if err != nil {
		return nil, err
	}
	t := &template{}
	if t.single, err = readTemplatePieces(o, "single", tokens); err != nil {
		return nil, err
	}
	t.pair, err = readTemplatePieces(o, "pair", tokens)
	for _, p := range t.single {
		if p.seq == 1 && err == nil {
			err = fail(ErrFormat, o.at("single"), "uses a second text")
		}
	}
	return t, err
}

func readTemplatePieces(o *object, key string, tokens map[string]templateToken) ([]templatePiece, error) {
	var err error
	type entry struct {
		ID     string `json:"id"`
		TypeID uint32 `json:"type_id"`
	}
	var out []templatePiece
	total := 0
	for i, m := range need[[]map[string]entry](o, key, &err) {
		seq, isSeq := m["Sequence"]
		tok, isTok := m["SpecialToken"]
		def := tokens[tok.ID]
		if total += len(def.IDs); i >= maxPieces || total > maxTemplate {
			return nil, fail(ErrLimit, o.at(key), "more than %d pieces or %d tokens", maxPieces, maxTemplate)
		}
		switch {
		case len(m) != 1 || isSeq == isTok || isSeq && seq.ID != "A" && seq.ID != "B":
			return nil, fail(ErrFormat, o.at(key), "neither Sequence nor SpecialToken")
		case isSeq:
			out = append(out, templatePiece{seq: int(seq.ID[0] - 'A'), typeID: int64(seq.TypeID)})
			continue
		case def.IDs == nil || len(def.IDs) != len(def.Tokens):
			return nil, fail(ErrFormat, o.at(key), "special_tokens does not define %q", tok.ID)
		}
		p := templatePiece{seq: -1, typeID: int64(tok.TypeID), tokens: def.Tokens}
		for _, id := range def.IDs {
			p.ids = append(p.ids, int64(id))
		}
		out = append(out, p)
	}
	return out, err
}

func (t *template) added(pair bool) int {
	pieces := t.single
	if pair {
		pieces = t.pair
	}
	n := 0
	for _, p := range pieces {
		n += len(p.ids)
	}
	return n
}

func (t *template) process(parts []*Encoding, add bool) ([]*Encoding, error) {
	pieces := t.single
	switch len(parts) {
	case 1:
	case 2:
		pieces = t.pair
	default:
		return nil, fail(ErrUnsupported, "post_processor", "a template behind another one")
	}
	var out []*Encoding
	var used [2]bool
	for _, p := range pieces {
		switch {
		case p.seq >= 0:
			e := parts[p.seq]
			if used[p.seq] {
				e = e.clone()
			}
			used[p.seq] = true
			e.setType(p.typeID)
			out = append(out, e)
		case add:
			out = append(out, special(p.ids, p.tokens, p.typeID))
		}
	}
	return out, nil
}
