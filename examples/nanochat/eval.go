package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// scores are the results of a model, the last two for each kind of question.
type scores struct {
	bitsPerByte    float64
	choices, exact []float64
}

// evaluate prints the scores of the models of all finished stages.
func (p *program) evaluate(ctx context.Context) error {
	if p.rank() > 0 {
		return nil
	}
	if err := p.readText(ctx); err != nil {
		return err
	}
	table := "model     bits/byte  right of four choices"
	table += strings.Repeat(" ", 10) + "exact answers\n" + strings.Repeat(" ", 19)
	for range 2 {
		for _, k := range kinds {
			table += fmt.Sprintf("%10s", k.name)
		}
	}
	found := false
	for _, s := range []stage{p.pretraining(), p.midTraining(), p.fineTuning()} {
		if _, err := os.Stat(p.path(s.name, "model.safetensors")); err != nil {
			continue
		}
		found = true
		all, err := p.score(ctx, s.name)
		if err != nil {
			return err
		}
		table += fmt.Sprintf("\n%-9s %9.3f", s.name, all.bitsPerByte)
		for _, v := range append(all.choices, all.exact...) {
			table += fmt.Sprintf("%9.0f%%", 100*v)
		}
	}
	if !found {
		return fmt.Errorf("there is no model in %s", p.config.out)
	}
	fmt.Fprintln(p.output(), table)
	return nil
}

// score measures a model, and the memory that this takes.
func (p *program) score(ctx context.Context, name string) (s scores, err error) {
	memory.Collect()
	used := memory.StartTrack(name, memory.Device(p.dev))
	defer used.Stop()
	lm, err := transformers.Load(p.path(name), models.Device(p.dev))
	if err != nil {
		return s, err
	}
	defer func() { _ = lm.Close() }()
	plan := sizeOf(lm.Model.(*llama.ForCausalLM).Config).inference(int64(p.batch), lm.Model.MaxLength())
	plan.print(p.output(), "evaluating "+name)
	e := &evaluation{ctx: ctx, lm: lm, dev: p.dev, batch: p.batch}
	if s.bitsPerByte, err = e.bitsPerByte(p.text.test); err != nil {
		return s, err
	}
	for kind := range kinds {
		right, err := e.choices(kind, p.questions)
		if err != nil {
			return s, err
		}
		exact, err := e.answers(kind, p.questions)
		if err != nil {
			return s, err
		}
		s.choices, s.exact = append(s.choices, right), append(s.exact, exact)
	}
	plan.printMeasured(p.output(), used.Stop().PeakGrowth())
	return s, nil
}

// evaluation measures a model.
type evaluation struct {
	ctx   context.Context
	lm    *transformers.LM
	dev   torch.Device
	batch int
}

// surprises returns, for each text (N, T), the sum of -log p over the labels that are not
// ignored. Each token is predicted from those before it.
func (e *evaluation) surprises(ids, labels []int64, rows int) (sums []float64) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			x := torch.FromSlice(ids).Reshape(int64(rows), -1).To(e.dev)
			y := torch.FromSlice(labels).Reshape(int64(rows), -1).To(e.dev)
			t := x.Size(1)
			logits := e.lm.Model.Forward(x.Narrow(1, 0, t-1))
			losses := F.CrossEntropy(logits.Flatten(0, 1), y.Narrow(1, 1, t-1).Flatten(0, 1), F.ReductionNone,
				F.IgnoreIndex(ignored))
			sums = losses.Reshape(int64(rows), -1).Sum(torch.Dim(1)).CPU().Double().Float64s()
		})
	})
	return sums
}

// bitsPerByte returns how many bits the model needs for a byte of the texts. Unlike the
// loss, this does not depend on the tokenizer.
func (e *evaluation) bitsPerByte(texts []string) (float64, error) {
	all, err := encodeAll(e.lm.Tokenizer, texts)
	if err != nil {
		return 0, err
	}
	begin, _ := e.lm.Tokenizer.TokenToID(bos)
	bytesOf := make([]int, e.lm.Tokenizer.VocabSize())
	for i := range bytesOf {
		token, _ := e.lm.Tokenizer.IDToToken(int64(i))
		bytesOf[i] = utf8.RuneCountInString(token) // a byte-level token has a character for each byte
	}
	length := int(e.lm.Model.MaxLength())
	bits, bytes := 0.0, 0
	for len(all) > 1 {
		if e.ctx.Err() != nil {
			return 0, e.ctx.Err()
		}
		// The rows overlap by a token, so that each token except the first is predicted once.
		var ids, labels []int64
		rows, width := 0, min(length, len(all))
		for rows < e.batch && len(all) >= max(2, width) {
			ids = append(ids, all[:width]...)
			for i, id := range all[:width] {
				if id == begin { // it is no part of the text
					id = ignored
				} else if i > 0 {
					bytes += bytesOf[id]
				}
				labels = append(labels, id)
			}
			all, rows = all[width-1:], rows+1
		}
		for _, s := range e.surprises(ids, labels, rows) {
			bits += s / math.Ln2
		}
	}
	return bits / float64(bytes), nil
}

// choices returns the part of n questions for which the right one of four answers is the
// most probable.
func (e *evaluation) choices(kind, n int) (float64, error) {
	random, right := rand.New(rand.NewPCG(1, uint64(kind))), 0
	begin, _ := e.lm.Tokenizer.TokenToID(bos)
	for range n {
		q, answers := drawChoices(random, kind)
		var rowsIDs, rowsLabels [][]int64
		width := 0
		for _, a := range answers {
			ids, labels, err := dialog{{q.Kind, q.Text, a}}.encode(e.lm.Tokenizer)
			if err != nil {
				return 0, err
			}
			rowsIDs, rowsLabels, width = append(rowsIDs, ids), append(rowsLabels, labels), max(width, len(ids))
		}
		var ids, labels []int64
		for i := range rowsIDs {
			for len(rowsIDs[i]) < width {
				rowsIDs[i], rowsLabels[i] = append(rowsIDs[i], begin), append(rowsLabels[i], ignored)
			}
			ids, labels = append(ids, rowsIDs[i]...), append(labels, rowsLabels[i]...)
		}
		if s := e.surprises(ids, labels, len(answers)); s[0] < min(s[1], s[2], s[3]) {
			right++
		}
	}
	return float64(right) / float64(n), nil
}

// answers returns the part of n questions that the model answers exactly.
func (e *evaluation) answers(kind, n int) (float64, error) {
	random, right := rand.New(rand.NewPCG(2, uint64(kind))), 0
	for range n {
		q := draw(random, kind, true)
		answer, err := e.lm.Chat(e.ctx, []chat.Message{{Role: "user", Content: q.Text}}, generation.MaxNewTokens(8))
		if err != nil {
			return 0, err
		}
		if answer == q.Answer {
			right++
		}
	}
	return float64(right) / float64(n), nil
}
