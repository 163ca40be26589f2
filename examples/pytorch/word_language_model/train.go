package main

import (
	"fmt"
	"math"
	"time"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/weights"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// training contains the state of one run of the program.
type training struct {
	*frame.Training
	*config
	text   *corpus
	model  model
	params []*torch.Tensor
	opt    *optim.AdamW    // or nil
	hidden []*torch.Tensor // hidden state after the last step
	best   nn.StateDict    // copies of the best weights
}

// testBatch is the batch size of validation and test.
const testBatch = 10

// train runs the program.
func (c *config) train(f *frame.Training) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	t := &training{Training: f, config: c}
	if t.text, err = readCorpus(f, c.data); err != nil {
		return err
	}
	if t.model, err = newModel(c, t.text.words.Len()); err != nil {
		return err
	}
	defer t.model.Close()
	t.params = t.model.Parameters()
	if c.adamW {
		t.opt = optim.NewAdamW(t.params, optim.LR(c.lr))
		defer t.opt.Close()
	}
	fmt.Fprintf(t.Out, "%d words, %d different\n", t.text.train.Numel(), t.text.words.Len())
	if c.load == "" {
		err = t.learn()
	} else {
		err = weights.Load(c.load, t.model)
	}
	if err != nil {
		return err
	}
	loss, err := t.evaluate(t.text.test)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "test: loss %.4f, perplexity %.2f\n", loss, math.Exp(loss))
	if err := weights.Save(c.save, t.model); err != nil {
		return err
	}
	t.write()
	return nil
}

// learn trains the model and keeps the weights of the best epoch. After an epoch without
// improvement it reduces the learning rate.
func (t *training) learn() error {
	ids, err := columns(t.text.train, t.batch)
	if err != nil {
		return err
	}
	best := math.Inf(1)
	for epoch := 1; epoch <= t.epochs && !t.Ended(); epoch++ {
		begun := time.Now()
		t.epoch(epoch, ids)
		loss, err := t.evaluate(t.text.valid)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.Out, "epoch %d: %.1f s, validation loss %.4f, perplexity %.2f\n", epoch,
			time.Since(begun).Seconds(), loss, math.Exp(loss))
		if loss < best {
			best = loss
			t.forget()
			t.best = t.model.StateDict().Clone()
		} else {
			t.lr /= 4
		}
	}
	if t.best == nil {
		return nil
	}
	defer t.forget()
	return t.model.LoadStateDict(t.best)
}

func (t *training) forget() {
	for _, v := range t.best {
		v.Tensor.Close()
	}
	t.best = nil
}

// epoch trains once on the text (N, B).
func (t *training) epoch(epoch int, ids *torch.Tensor) {
	t.hidden = t.model.start(ids.Size(1))
	defer func() { t.carry(nil) }()
	steps := (int(ids.Size(0)) - 2 + t.bptt) / t.bptt
	bar := progress.New(steps, fmt.Sprintf("epoch %d/%d", epoch, t.epochs), t.config.Quiet)
	defer bar.End()
	total, begun := 0.0, time.Now()
	for i := range steps {
		total += t.step(ids, i*t.bptt)
		if n := (i + 1) % t.every; n == 0 {
			mean := total / float64(t.every)
			fmt.Fprintf(t.Out, "epoch %d, %d/%d steps: lr %.2f, %.1f ms a step, loss %.4f, perplexity %.2f\n", epoch,
				i+1, steps,
				t.lr, time.Since(begun).Seconds()*1e3/float64(t.every), mean, math.Exp(mean))
			total, begun = 0, time.Now()
		}
		bar.Step()
		if t.Ended() {
			return
		}
	}
}

// step trains on up to bptt rows of words. The target of each word is the word after it.
func (t *training) step(ids *torch.Tensor, from int) (value float64) {
	torch.Scope(func() {
		x, y := t.rows(ids, from)
		t.model.ZeroGrad()
		scores, hidden := t.model.Forward(x, t.hidden)
		loss := F.NLLLoss(scores, y)
		loss.Backward()
		nnutil.ClipGradNorm_(t.params, t.clip)
		if t.opt != nil {
			t.opt.Step()
		} else {
			torch.NoGrad(func() {
				for _, p := range t.params {
					p.Add_(p.Grad(), torch.Alpha(-t.lr))
				}
			})
		}
		t.carry(hidden)
		value = loss.Item()
		t.Add(value)
	})
	return value
}

// carry keeps the hidden state for the next step. It detaches the state, so that the next
// step's gradients do not reach back into this step.
func (t *training) carry(hidden []*torch.Tensor) {
	for _, h := range t.hidden {
		h.Close()
	}
	t.hidden = nil
	for _, h := range hidden {
		t.hidden = append(t.hidden, torch.Disown(h.Detach()))
	}
}

// rows returns x, up to bptt rows of a text (T, B), and y, the (T*B) words that follow
// the words in x.
func (t *training) rows(ids *torch.Tensor, from int) (x, y *torch.Tensor) {
	n := min(int64(t.bptt), ids.Size(0)-1-int64(from))
	return ids.Narrow(0, int64(from), n), ids.Narrow(0, int64(from)+1, n).Flatten(0, 1)
}

// evaluate returns the mean loss on a text.
func (t *training) evaluate(text *torch.Tensor) (mean float64, err error) {
	ids, err := columns(text, testBatch)
	if err != nil {
		return 0, err
	}
	defer ids.Close()
	t.model.Eval()
	defer t.model.Train()
	t.hidden = t.model.start(testBatch)
	defer func() { t.carry(nil) }()
	last := int(ids.Size(0)) - 1
	torch.NoGrad(func() {
		for from := 0; from < last && t.Err() == nil; from += t.bptt {
			torch.Scope(func() {
				x, y := t.rows(ids, from)
				scores, hidden := t.model.Forward(x, t.hidden)
				t.carry(hidden)
				mean += float64(x.Size(0)) * F.NLLLoss(scores, y).Item() / float64(last)
			})
		}
	})
	return mean, nil
}

// write generates text, drawing one word at a time from the model's probabilities.
func (t *training) write() {
	t.model.Eval()
	t.hidden = t.model.start(1)
	defer func() { t.carry(nil) }()
	ids := torch.RandIntTo(t.text.words.Len(), torch.Shape{1, 1})
	defer func() { ids.Close() }()
	torch.NoGrad(func() {
		for i := range t.generate {
			torch.Scope(func() {
				scores, hidden := t.model.Forward(ids, t.hidden)
				t.carry(hidden)
				next := scores.Select(0, -1).DivScalar(t.temperature).Exp().Multinomial(1)
				end := map[bool]string{true: "\n", false: " "}[i%20 == 19 || i == t.generate-1]
				fmt.Fprint(t.Out, t.text.words.Words[next.ItemInt()], end)
				seen := next.View(1, 1)
				if hidden == nil { // a transformer has no state, so it needs all previous words
					seen = torch.Cat([]*torch.Tensor{ids, seen})
				}
				ids.Close()
				ids = torch.Disown(seen)
			})
		}
	})
}
