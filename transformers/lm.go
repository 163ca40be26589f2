package transformers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// LM is a language model with its tokenizer and its settings: what a folder of the hub or a
// GGUF file contains. Any number of goroutines may call its methods, each of which has its
// own cache.
type LM struct {
	Model     models.CausalLM
	Tokenizer *tokenizers.Tokenizer
	Template  *chat.Template    // of conversations, or nil
	Config    generation.Config // the settings that options of a call replace

	special map[string]any // tokens that templates use
}

// Load loads a language model from a GGUF file, or from a folder with config.json,
// tokenizer.json and weights. The caller closes it. See [LoadGGUF] and [LoadCausalLM].
func Load(path string, opts ...models.NewOption) (*LM, error) {
	lm := &LM{Config: generation.DefaultConfig(), special: map[string]any{}}
	read := lm.readFolder
	if strings.HasSuffix(path, ".gguf") {
		read = lm.readGGUF
	}
	if err := read(path, opts); err != nil {
		_ = lm.Close()
		return nil, fmt.Errorf("transformers.Load: %w", err)
	}
	return lm, nil
}

// Close frees the model.
func (lm *LM) Close() error {
	if lm.Model == nil {
		return nil
	}
	return lm.Model.ModuleBase().Close()
}

func (lm *LM) readFolder(dir string, opts []models.NewOption) (err error) {
	if lm.Tokenizer, err = tokenizers.FromFile(filepath.Join(dir, "tokenizer.json")); err != nil {
		return err
	}
	if b, err := readFile(dir, "generation_config.json"); err == nil {
		if lm.Config, err = generation.ParseConfig(b); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := lm.readTemplate(dir); err != nil {
		return err
	}
	lm.Model, err = LoadCausalLM(dir, opts...)
	return err
}

// readTemplate reads the template and the special tokens of a folder.
func (lm *LM) readTemplate(dir string) error {
	var c map[string]any
	b, err := readFile(dir, "tokenizer_config.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return fmt.Errorf("%w: tokenizer_config.json: %w", torch.ErrFormat, err)
	}
	for name, v := range c {
		if !strings.HasSuffix(name, "_token") {
			continue
		}
		if t, ok := v.(map[string]any); ok {
			v = t["content"]
		}
		if text, ok := v.(string); ok {
			lm.special[name] = text
		}
	}
	source, _ := c["chat_template"].(string)
	if b, err := readFile(dir, "chat_template.jinja"); err == nil {
		source = string(b)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return lm.parseTemplate(source)
}

func (lm *LM) parseTemplate(source string) (err error) {
	if source != "" {
		lm.Template, err = chat.Parse(source)
	}
	return err
}

func (lm *LM) readGGUF(path string, opts []models.NewOption) error {
	f, err := gguf.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if lm.Tokenizer, err = tokenizerOfGGUF(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, key := range map[string]string{"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"} {
		if id, ok := f.Int("tokenizer.ggml." + key + "_token_id"); ok {
			if text, ok := lm.Tokenizer.IDToToken(id); ok {
				lm.special[name+"_token"] = text
			}
		}
	}
	if id, ok := f.Int("tokenizer.ggml.eos_token_id"); ok {
		lm.Config.EOSTokenIDs = generation.IDs{id}
	}
	source, _ := f.String("tokenizer.chat_template")
	if err := lm.parseTemplate(source); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	lm.Model, err = LoadGGUF(path, opts...)
	return err
}

// Generate continues a prompt and returns the new text, without special tokens.
func (lm *LM) Generate(ctx context.Context, prompt string, opts ...generation.Option) (string, error) {
	return joined(lm.Stream(ctx, prompt, opts...))
}

// Chat answers a conversation and returns the text of the answer.
func (lm *LM) Chat(ctx context.Context, messages []chat.Message, opts ...generation.Option) (string, error) {
	return joined(lm.StreamChat(ctx, messages, opts...))
}

func joined(parts iter.Seq2[string, error]) (string, error) {
	var b strings.Builder
	for s, err := range parts {
		if err != nil {
			return b.String(), err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

// StreamChat answers a conversation and yields the text of the answer in parts, as
// [LM.Stream] does. The error is torch.ErrUnsupported if the model has no template for
// conversations.
func (lm *LM) StreamChat(ctx context.Context, messages []chat.Message, opts ...generation.Option,
) iter.Seq2[string, error] {
	prompt, err := lm.Prompt(messages)
	if err != nil {
		return func(yield func(string, error) bool) { yield("", err) }
	}
	return lm.stream(ctx, prompt, false, opts)
}

// Prompt returns the text of a conversation that the model continues with its answer.
// Follows apply_chat_template with add_generation_prompt.
func (lm *LM) Prompt(messages []chat.Message, opts ...chat.RenderOption) (string, error) {
	if lm.Template == nil {
		return "", fmt.Errorf("transformers.LM: %w: the model has no template for conversations", torch.ErrUnsupported)
	}
	opts = append([]chat.RenderOption{chat.AddGenerationPrompt(true), chat.Vars(lm.special)}, opts...)
	return lm.Template.Render(messages, opts...)
}

// Stream continues a prompt and yields the new text in parts, as soon as they are known. A
// part is never half a character. It ends with the first error, which is ctx.Err() if ctx
// ends, or generation.ErrTooLong if the text does not fit the model. It panics as
// generation.Stream does.
func (lm *LM) Stream(ctx context.Context, prompt string, opts ...generation.Option) iter.Seq2[string, error] {
	return lm.stream(ctx, prompt, true, opts)
}

func (lm *LM) stream(ctx context.Context, prompt string, special bool, opts []generation.Option,
) iter.Seq2[string, error] {
	settings := lm.Config
	settings.NumBeams, settings.NumReturnSequences = 1, 1 // a file may ask for more, which do not stream
	c := generation.Read("transformers.LM.Stream", append([]generation.Option{settings}, opts...))
	stops := c.StopStrings
	c.StopStrings = nil
	return func(yield func(string, error) bool) {
		encoding, err := lm.Tokenizer.Encode(prompt, tokenizers.AddSpecialTokens(special))
		if err == nil {
			err = lm.checkTokens(encoding.IDs)
		}
		if err != nil {
			yield("", err)
			return
		}
		tokens := tried(generation.Stream(ctx, lm.Model, encoding.IDs, c))
		for part, err := range lm.Parts(tokens, c.EOSTokenIDs, stops) {
			if (part.Text != "" || err != nil) && !yield(part.Text, err) {
				return
			}
		}
	}
}

// tried yields the errors of the model, such as of weights that are NaN, which come as panics.
func tried(tokens iter.Seq2[int64, error]) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		yielding := false
		err := torch.Try(func() {
			for id, err := range tokens {
				yielding = true
				if !yield(id, err) {
					return
				}
				yielding = false
			}
		})
		switch {
		case err != nil && yielding: // a panic of the loop's body
			panic(err)
		case err != nil:
			yield(0, err)
		}
	}
}

// checkTokens returns an error for tokens that the model cannot continue. They depend on the
// files of the tokenizer and the template, which need not fit the model.
func (lm *LM) checkTokens(ids []int64) error {
	if len(ids) == 0 {
		return fmt.Errorf("transformers.LM: %w: the prompt has no tokens", torch.ErrValue)
	}
	for _, id := range ids {
		if n := lm.Model.VocabSize(); id >= n {
			return fmt.Errorf("transformers.LM: %w: the prompt has token %d, but the model has only %d", torch.ErrIndex,
				id, n)
		}
	}
	return nil
}

// A Part is a part of a generated text.
type Part struct {
	Text   string
	Tokens int    // the number of tokens so far
	Finish string // of the last part: "stop" for the end of the text or a stop string, otherwise "length"
}

// Parts turns new tokens into parts of a text. The last part has Finish set, and may be
// empty. The text ends before a token of ends and before a stop string. Parts that may be
// the beginning of one are held back until the next token shows.
func (lm *LM) Parts(tokens iter.Seq2[int64, error], ends []int64, stops []string) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		decoder, held, n := lm.Tokenizer.NewDecodeStream(), "", 0
		for id, err := range tokens {
			if err != nil {
				yield(Part{Tokens: n}, err)
				return
			}
			n++
			if slices.Contains(ends, id) {
				yield(Part{held, n, "stop"}, nil)
				return
			}
			text, err := decoder.Step(id)
			if err != nil {
				yield(Part{Tokens: n}, err)
				return
			}
			var ready string
			var stopped bool
			if ready, held, stopped = cutAtStop(held+text, stops); stopped {
				yield(Part{ready, n, "stop"}, nil)
				return
			}
			if ready != "" && !yield(Part{Text: ready, Tokens: n}, nil) {
				return
			}
		}
		yield(Part{held, n, "length"}, nil)
	}
}

// cutAtStop divides text into what comes before a stop string, and what may be the
// beginning of one. stopped reports that the text contains one.
func cutAtStop(text string, stops []string) (ready, held string, stopped bool) {
	end, keep := len(text), 0
	for _, s := range stops {
		if i := strings.Index(text, s); i >= 0 && i < end {
			end, stopped = i, true
		}
		for n := min(len(s)-1, len(text)); n > keep; n-- {
			if strings.HasSuffix(text, s[:n]) {
				keep = n
			}
		}
	}
	if stopped {
		return text[:end], "", true
	}
	return text[:len(text)-keep], text[len(text)-keep:], false
}

// Bytes returns the native memory of the model's parameters and buffers.
func (lm *LM) Bytes() int64 { return moduleBytes(lm.Model) }

func moduleBytes(m nn.Module) int64 {
	seen := map[uintptr]bool{}
	var n int64
	for _, t := range slices.Concat(m.ModuleBase().Parameters(), m.ModuleBase().Buffers()) {
		if at := t.DataPtr(); !seen[at] {
			seen[at] = true
			n += t.NBytes()
		}
	}
	return n
}
