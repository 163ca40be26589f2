package tokenizers

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/files"
)

// maxFile is the greatest size of a file.
const maxFile = 1 << 30

// FromFile loads a tokenizer from a file tokenizer.json. It returns ErrFormat for a damaged
// file and ErrUnsupported for a component that this package lacks.
func FromFile(path string) (*Tokenizer, error) {
	b, err := files.Read(path, maxFile)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		var large *files.TooLargeError
		if errors.As(err, &large) {
			return nil, fail(ErrLimit, path, "%s", large.Detail())
		}
		return nil, &Error{ErrValue, path, "cannot read the file", err}
	}
	return FromBytes(b)
}

// FromReader loads a tokenizer from the content of a file tokenizer.json. See FromFile for
// its errors.
func FromReader(r io.Reader) (*Tokenizer, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, &Error{ErrValue, "", "cannot read the file", err}
	}
	return FromBytes(b)
}

// FromBytes loads a tokenizer from the content of a file tokenizer.json. See FromFile for
// its errors.
func FromBytes(b []byte) (*Tokenizer, error) {
	if !utf8.Valid(b) {
		return nil, fail(ErrFormat, "", "the file is not UTF-8")
	}
	o, err := newObject("", b)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{parts: map[string]json.RawMessage{}, added: newAddedVocab()}
	if v := field(o, "version", "1.0", &err); v != "1.0" && err == nil {
		return nil, fail(ErrUnsupported, "version", "%q", v)
	}
	if err != nil {
		return nil, err
	}
	if err := t.loadParts(o); err != nil {
		return nil, err
	}
	if err := t.loadAdded(o); err != nil {
		return nil, err
	}
	if err := o.done(); err != nil {
		return nil, err
	}
	t.speedUp()
	return t, nil
}

func (t *Tokenizer) loadParts(o *object) error {
	outer := nesting{left: new(int)}
	*outer.left = maxComponents
	load := func(key string, fn func(raw json.RawMessage) error) error {
		raw, ok := o.raw(key)
		if !ok {
			return nil
		}
		t.parts[key] = raw
		return fn(raw)
	}
	return errors.Join(
		load("truncation", func(raw json.RawMessage) (err error) { t.trunc, err = readTruncation(raw); return err }),
		load("padding", func(raw json.RawMessage) (err error) { t.pad, err = readPadding(raw); return err }),
		load("normalizer", func(raw json.RawMessage) (err error) {
			t.normalizer, err = loadNormalizer("normalizer", raw, outer)
			return err
		}),
		load("pre_tokenizer", func(raw json.RawMessage) (err error) {
			t.preTokenizer, err = loadPreTokenizer("pre_tokenizer", raw, outer)
			return err
		}),
		load("post_processor", func(raw json.RawMessage) (err error) {
			t.postProcessor, err = loadPostProcessor("post_processor", raw, outer)
			return err
		}),
		load("decoder", func(raw json.RawMessage) (err error) {
			t.decoder, err = loadDecoder("decoder", raw, outer)
			return err
		}),
		t.loadModel(o),
	)
}

func (t *Tokenizer) loadModel(o *object) error {
	raw, ok := o.raw("model")
	if !ok {
		return o.missing("model")
	}
	t.parts["model"] = raw
	m, err := newObject("model", raw)
	if err != nil {
		return err
	}
	kind := field(m, "type", "", &err)
	if err != nil {
		return err
	}
	if kind == "" { // files of old versions
		switch {
		case m.fields["merges"] != nil:
			kind = "BPE"
		case m.fields["continuing_subword_prefix"] != nil:
			kind = "WordPiece"
		case m.fields["unk_id"] != nil:
			kind = "Unigram"
		default:
			kind = "WordLevel"
		}
	}
	loaders := map[string]func(*object) (model, error){
		"BPE": loadBPE, "WordPiece": loadWordPiece, "WordLevel": loadWordLevel, "Unigram": loadUnigram,
	}
	fn, ok := loaders[kind]
	if !ok {
		return fail(ErrUnsupported, "model", "the model %q", kind)
	}
	if t.model, err = fn(m); err != nil {
		return err
	}
	return m.done()
}

func (t *Tokenizer) loadAdded(o *object) error {
	var err error
	var tokens []AddedToken
	for _, raw := range field(o, "added_tokens", []json.RawMessage(nil), &err) {
		e, err := newObject("added_tokens", raw)
		if err != nil {
			return err
		}
		need[uint32](e, "id", &err) // Python, too, takes the ID of the model or the next one.
		tokens = append(tokens, AddedToken{
			Content:    need[string](e, "content", &err),
			SingleWord: need[bool](e, "single_word", &err),
			LStrip:     need[bool](e, "lstrip", &err),
			RStrip:     need[bool](e, "rstrip", &err),
			Normalized: need[bool](e, "normalized", &err),
			Special:    need[bool](e, "special", &err),
		})
		if err == nil {
			err = e.done()
		}
		if err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	_, err = t.added.add(tokens, t.model, t.normalizer)
	return err
}

// speedUp lets a byte-level BPE model work on bytes.
func (t *Tokenizer) speedUp() {
	m, ok := t.model.(*bpeModel)
	last := t.preTokenizer
	for {
		seq, isSeq := last.(preTokenizerSequence)
		if !isSeq || len(seq) == 0 {
			break
		}
		last = seq[len(seq)-1]
	}
	if b, isBytes := last.(*byteLevel); ok && isBytes {
		if m.raw = m.makeRaw(); m.raw != nil {
			b.raw = true
		}
	}
}

// MarshalJSON returns the content of a file tokenizer.json that Python loads, too. It has the
// tokens that AddTokens and AddSpecialTokens added.
func (t *Tokenizer) MarshalJSON() ([]byte, error) {
	type token struct {
		ID         uint32 `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
		Special    bool   `json:"special"`
	}
	tokens := []token{}
	for _, a := range t.added.sorted() {
		id := t.added.ids[a.Content]
		tokens = append(tokens, token{id, a.Content, a.SingleWord, a.LStrip, a.RStrip, a.Normalized, a.Special})
	}
	return json.Marshal(struct {
		Version       string          `json:"version"`
		Truncation    json.RawMessage `json:"truncation"`
		Padding       json.RawMessage `json:"padding"`
		AddedTokens   []token         `json:"added_tokens"`
		Normalizer    json.RawMessage `json:"normalizer"`
		PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
		PostProcessor json.RawMessage `json:"post_processor"`
		Decoder       json.RawMessage `json:"decoder"`
		Model         json.RawMessage `json:"model"`
	}{
		"1.0", t.parts["truncation"], t.parts["padding"], tokens, t.parts["normalizer"], t.parts["pre_tokenizer"],
		t.parts["post_processor"], t.parts["decoder"], t.parts["model"],
	})
}
