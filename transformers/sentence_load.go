package transformers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
	"github.com/gotorch/gotorch/transformers/models/clip"
	"github.com/gotorch/gotorch/transformers/models/t5"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// LoadSentenceTransformer loads a model that computes embeddings of texts from a folder of
// sentence-transformers: modules.json, config.json, tokenizer.json, weights, and folders such as
// 1_Pooling. Without modules.json, the embedding of a text is the mean of the features of its
// tokens, as in Python. The caller closes the model. The error is torch.ErrUnsupported for a
// module that this package lacks. It knows Transformer, Pooling, Dense, LayerNorm, Dropout and
// Normalize. Follows sentence_transformers.SentenceTransformer.
func LoadSentenceTransformer(dir string, opts ...models.NewOption) (*SentenceTransformer, error) {
	s := &SentenceTransformer{}
	if err := s.load(dir, opts); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("transformers.LoadSentenceTransformer: %w", err)
	}
	return s, nil
}

// Close frees the model.
func (s *SentenceTransformer) Close() error {
	var err error
	if s.Model != nil {
		err = s.Model.ModuleBase().Close()
	}
	for _, l := range s.layers {
		if l.module != nil {
			err = errors.Join(err, l.module.ModuleBase().Close())
		}
	}
	return err
}

// Bytes returns the native memory of the parameters and buffers.
func (s *SentenceTransformer) Bytes() int64 {
	n := moduleBytes(s.Model)
	for _, l := range s.layers {
		if l.module != nil {
			n += moduleBytes(l.module)
		}
	}
	return n
}

// sentenceModule is an entry of modules.json.
type sentenceModule struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

// kind returns the name of the class, such as "Pooling".
func (m sentenceModule) kind() string { return m.Type[strings.LastIndexByte(m.Type, '.')+1:] }

// maxModules is more than any model has.
const maxModules = 64

// readModules returns the modules of a folder. The first is a Transformer, the second a Pooling.
func readModules(dir string) ([]sentenceModule, error) {
	var all []sentenceModule
	if found, err := readJSON(dir, "modules.json", &all); err != nil {
		return nil, err
	} else if !found {
		return nil, nil
	}
	fail := func(kind error, format string, args ...any) ([]sentenceModule, error) {
		return nil, fmt.Errorf("%w: modules.json: %s", kind, fmt.Sprintf(format, args...))
	}
	if len(all) < 2 || len(all) > maxModules {
		return fail(torch.ErrFormat, "expected 2 to %d modules, got %d", maxModules, len(all))
	}
	for i, m := range all {
		if !strings.HasPrefix(m.Type, "sentence_transformers.") {
			return fail(torch.ErrUnsupported, "module %d has the type %q", i, m.Type)
		}
		if m.Path != "" && !filepath.IsLocal(m.Path) {
			return fail(torch.ErrFormat, "module %d: the path %q leaves the folder", i, m.Path)
		}
		if want := []string{"Transformer", "Pooling"}; i < len(want) && m.kind() != want[i] {
			return fail(torch.ErrUnsupported, "module %d is %q, not a %s", i, m.kind(), want[i])
		}
	}
	return all, nil
}

// readJSON reads a file of a folder into v, and reports whether there is one.
func readJSON(dir, name string, v any) (bool, error) {
	b, err := readFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return true, fmt.Errorf("%w: %s: %w", torch.ErrFormat, name, err)
	}
	return true, nil
}

func (s *SentenceTransformer) load(dir string, opts []models.NewOption) (err error) {
	modules, err := readModules(dir)
	if err != nil {
		return err
	}
	at := dir
	if modules != nil {
		at = filepath.Join(dir, modules[0].Path)
	}
	if s.Tokenizer, err = tokenizers.FromFile(filepath.Join(at, "tokenizer.json")); err != nil {
		return err
	}
	if s.Model, err = read(at, textEncoders, opts); err != nil {
		return err
	}
	if err := s.readSizes(); err != nil {
		return err
	}
	if err := s.readLength(at); err != nil {
		return err
	}
	if err := s.readPrompts(dir); err != nil {
		return err
	}
	s.pooling = pooling{[]string{"mean"}, true}
	if modules != nil {
		if s.pooling, err = readPooling(filepath.Join(dir, modules[1].Path), s.hidden); err != nil {
			return err
		}
	}
	s.width = s.hidden * int64(len(s.pooling.modes))
	for _, m := range modules[min(2, len(modules)):] {
		l, err := newSentenceLayer(dir, m, &s.width, opts)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		s.layers = append(s.layers, l)
	}
	return nil
}

// readSizes reads what the configuration of the model says.
func (s *SentenceTransformer) readSizes() error {
	switch m := s.Model.(type) {
	case *bert.Model:
		s.vocab, s.hidden = m.Config.VocabSize, m.Config.HiddenSize
		if m.Config.PadTokenID != nil {
			s.pad = *m.Config.PadTokenID
		}
	case *clip.TextModel:
		s.vocab, s.hidden = m.Config.VocabSize, m.Config.HiddenSize
	case *t5.EncoderModel:
		s.vocab, s.hidden, s.pad = m.Config.VocabSize, m.Config.Model, m.Config.PadTokenID
	}
	if s.pad < 0 || s.pad >= s.vocab {
		return fmt.Errorf("%w: config.json: pad_token_id is %d; the vocabulary has %d", torch.ErrFormat, s.pad, s.vocab)
	}
	return nil
}

// lengthFiles are the names of the file with the largest length of a text: of the present one,
// and of old classes.
var lengthFiles = strings.Fields(`sentence_bert_config.json sentence_roberta_config.json
	sentence_distilbert_config.json sentence_camembert_config.json sentence_albert_config.json
	sentence_xlm-roberta_config.json sentence_xlnet_config.json`)

// readLength reads how texts are tokenized.
func (s *SentenceTransformer) readLength(dir string) error {
	var c struct {
		MaxSeqLength     *int64 `json:"max_seq_length"`
		DoLowerCase      bool   `json:"do_lower_case"`
		TransformerTask  string `json:"transformer_task"`
		ModuleOutputName string `json:"module_output_name"`
	}
	name := ""
	for _, name = range lengthFiles {
		if found, err := readJSON(dir, name, &c); err != nil {
			return err
		} else if found {
			break
		}
	}
	if t := c.TransformerTask; t != "" && t != "feature-extraction" {
		return fmt.Errorf("%w: %s: transformer_task %q", torch.ErrUnsupported, name, t)
	}
	if o := c.ModuleOutputName; o != "" && o != "token_embeddings" {
		return fmt.Errorf("%w: %s: module_output_name %q", torch.ErrUnsupported, name, o)
	}
	var t struct {
		ModelMaxLength *float64 `json:"model_max_length"` // may be 1e30
		TruncationSide string   `json:"truncation_side"`
	}
	if _, err := readJSON(dir, "tokenizer_config.json", &t); err != nil {
		return err
	}
	s.lower, s.left = c.DoLowerCase, t.TruncationSide == "left"
	s.MaxSeqLength = s.Model.MaxLength()
	empty, err := s.Tokenizer.Encode("", s.encodeOptions(false)...)
	if err != nil {
		return err
	}
	least := int64(empty.Len())
	switch {
	case c.MaxSeqLength != nil:
		if *c.MaxSeqLength < 1 || *c.MaxSeqLength < least {
			return fmt.Errorf("%w: %s: max_seq_length is %d, but %d special tokens are added", torch.ErrFormat, name,
				*c.MaxSeqLength, least)
		}
		s.MaxSeqLength = min(s.MaxSeqLength, *c.MaxSeqLength)
	case t.ModelMaxLength != nil && *t.ModelMaxLength < float64(s.MaxSeqLength):
		if *t.ModelMaxLength < max(1, float64(least)) {
			return fmt.Errorf("%w: tokenizer_config.json: model_max_length is %v", torch.ErrFormat, *t.ModelMaxLength)
		}
		s.MaxSeqLength = int64(*t.ModelMaxLength)
	}
	return nil
}

// readPrompts reads config_sentence_transformers.json.
func (s *SentenceTransformer) readPrompts(dir string) error {
	const name = "config_sentence_transformers.json"
	var c struct {
		Prompts           map[string]string `json:"prompts"`
		DefaultPromptName string            `json:"default_prompt_name"`
	}
	if _, err := readJSON(dir, name, &c); err != nil {
		return err
	}
	if _, ok := c.Prompts[c.DefaultPromptName]; !ok && c.DefaultPromptName != "" {
		return fmt.Errorf("%w: %s: default_prompt_name %q is not in prompts", torch.ErrFormat, name,
			c.DefaultPromptName)
	}
	s.Prompts, s.DefaultPromptName = c.Prompts, c.DefaultPromptName
	return nil
}
