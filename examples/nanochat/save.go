package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// keepStates is the number of checkpoints that stay: the newest, and the one before it in
// case the newest is damaged.
const keepStates = 2

// state returns everything that a checkpoint of a stage contains. The conversations of a
// step follow from the seed and the number of the step.
func (t *trainer) state() checkpoint.State {
	s := checkpoint.State{"model": t.model, "optimizer": t.opt, "scheduler": t.sched, "place": &t.place}
	if t.texts != nil {
		s["texts"] = t.texts.random
	}
	return s
}

func (t *trainer) folder() string { return t.path(t.name, "checkpoints") }

// save writes a checkpoint if this process is rank 0. It uses its own context, because it
// also runs after Ctrl-C.
func (t *trainer) save() error {
	if t.rank() > 0 {
		return nil
	}
	m, err := checkpoint.Open(t.folder(), checkpoint.Keep(keepStates))
	if err != nil {
		return err
	}
	return errors.Join(m.Save(context.Background(), t.Step, t.state()), m.Close())
}

// restore loads the newest checkpoint of the stage, if there is one.
func (t *trainer) restore() error {
	at, err := checkpoint.Resume(t.folder(), t.state())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%w; other flags need another -out", err)
	}
	fmt.Fprintf(t.output(), "continues after step %d\n", at.Step)
	return nil
}

// stopped saves the state after the last complete step, and returns why the stage ended.
func (t *trainer) stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err := t.save(); err != nil {
		return errors.Join(errInterrupted, err)
	}
	return fmt.Errorf("%w after step %d; the same command continues", errInterrupted, t.Step)
}

// finish writes the model's folder and removes the checkpoints of the stage.
func (t *trainer) finish() error {
	if t.rank() > 0 {
		return nil
	}
	if err := writeModel(t.path(t.name), t.model, t.tok); err != nil {
		return err
	}
	return os.RemoveAll(t.folder())
}

// firstModel returns the model that a stage begins with.
func (p *program) firstModel(s stage) (*llama.ForCausalLM, error) {
	if s.from == "" {
		return p.newModel()
	}
	m, err := readModel(p.path(s.from))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: run -stages %s first", err, s.from)
	}
	return m, err
}

// newModel returns a model with random weights for the tokenizer.
func (p *program) newModel() (*llama.ForCausalLM, error) {
	torch.ManualSeed(p.seed)
	s := p.size
	s.Vocab = int64(p.tok.VocabSize()) // a short text has fewer tokens than -vocab
	return llama.NewForCausalLM(s.llama())
}

// readModel reads the model of a folder into memory of its own, for training.
func readModel(dir string) (*llama.ForCausalLM, error) {
	b, err := os.ReadFile(filepath.Join(dir, "config.json")) //nolint:gosec // the folder is the user's
	if err != nil {
		return nil, err
	}
	c, err := llama.ParseConfig(b)
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	m, err := llama.NewForCausalLM(c)
	if err != nil {
		return nil, err
	}
	if err := m.LoadStateDict(file); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// writeModel writes a folder as Hugging Face's hub has them, which transformers.Load and
// Python's AutoModelForCausalLM and AutoTokenizer load. The weights come last: a folder
// with weights is complete.
func writeModel(dir string, m *llama.ForCausalLM, t *tokenizers.Tokenizer) error {
	begin, _ := t.TokenToID(bos)
	end, _ := t.TokenToID(assistantEnd)
	ids := map[string]any{"bos_token_id": begin, "eos_token_id": end, "pad_token_id": begin}
	config := struct {
		llama.Config
		Architectures []string `json:"architectures"`
		BOS           int64    `json:"bos_token_id"`
		EOS           int64    `json:"eos_token_id"`
		DType         string   `json:"dtype"`
	}{m.Config, []string{"LlamaForCausalLM"}, begin, end, "float32"}
	for name, content := range map[string]any{
		"tokenizer.json": t, "config.json": config, "generation_config.json": ids,
		"tokenizer_config.json": map[string]any{
			"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": bos, "eos_token": assistantEnd, "pad_token": bos,
			"model_max_length": m.Config.MaxPositions, "clean_up_tokenization_spaces": false, "chat_template": template,
		},
	} {
		b, err := json.MarshalIndent(content, "", "  ")
		if err == nil {
			err = writeFile(filepath.Join(dir, name), b)
		}
		if err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(dir, "chat_template.jinja"), []byte(template)); err != nil {
		return err
	}
	tensors := m.StateDict().Map()
	delete(tensors, "lm_head.weight") // it is the embedding
	return safetensors.SaveFile(tensors, filepath.Join(dir, "model.safetensors"),
		safetensors.Metadata{"format": "pt"})
}

// writeFile writes a file and makes its folder.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // other users may read it
		return err
	}
	return os.WriteFile(path, content, 0o644) //nolint:gosec // other users may read it
}

// writeExport writes what reference.py begins with: a model with the first weights of the
// pretraining, and the tokens of the text.
func (p *program) writeExport(ctx context.Context) error {
	if err := p.tokenizer(ctx); err != nil {
		return err
	}
	tokens, err := p.trainingTokens(ctx)
	if err != nil {
		return err
	}
	m, err := p.newModel()
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }()
	if err := writeModel(p.export, m, p.tok); err != nil {
		return err
	}
	torch.Scope(func() {
		err = safetensors.SaveFile(map[string]*torch.Tensor{"tokens": torch.FromSlice(tokens)},
			filepath.Join(p.export, "tokens.safetensors"))
	})
	return err
}
