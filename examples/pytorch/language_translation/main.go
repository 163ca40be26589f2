// Command language_translation learns to translate sentences with a transformer, as
// PyTorch's example does. By default the sentences are spelled-out numbers, in which German
// and English order the words differently. reference.py is the same program in Python. With
// the same seed both print the same losses.
//
//	go run ./pytorch/language_translation -epochs 10
//	go run ./pytorch/language_translation -data pairs.tsv # lines with a sentence, a tab and its translation
//	go run ./pytorch/language_translation -save model.pt     # the best weights
//	go run ./pytorch/language_translation -load model.pt -translate "drei hundert vier"
package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/weights"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type config struct {
	frame.Flags
	data, save, load, translate   string
	epochs, batch, examples, show int
	lr                            float64
	size                          size
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), epochs: 30, batch: 128, examples: 20000, show: 5, lr: 1e-3,
		size: size{encoders: 2, decoders: 2, heads: 8, embed: 128, forward: 256, dropout: 0.1},
	}
}

func main() {
	c := defaults()
	c.Register()
	flag.StringVar(&c.data, "data", c.data, "file with a sentence, a tab and its translation in each line; "+
		"without it they are numbers in German and English")
	flag.IntVar(&c.examples, "examples", c.examples, "number of generated sentences")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the sentences")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.IntVar(&c.batch, "batch", c.batch, "sentences per step")
	flag.Int64Var(&c.size.heads, "attn-heads", c.size.heads, "heads of a layer")
	flag.Int64Var(&c.size.encoders, "enc-layers", c.size.encoders, "layers of the encoder")
	flag.Int64Var(&c.size.decoders, "dec-layers", c.size.decoders, "layers of the decoder")
	flag.Int64Var(&c.size.embed, "embed-size", c.size.embed, "features per word")
	flag.Int64Var(&c.size.forward, "dim-feedforward", c.size.forward, "hidden features per layer")
	flag.Float64Var(&c.size.dropout, "dropout", c.size.dropout, "probability of dropout in training")
	flag.StringVar(&c.save, "save", c.save, "save the weights of the best validation in this file")
	flag.StringVar(&c.load, "load", c.load, "read the weights from this file, and skip the training")
	flag.StringVar(&c.translate, "translate", c.translate, "translate this sentence at the end")
	flag.IntVar(&c.show, "show", c.show, "number of validation sentences to translate at the end")
	c.Main("language_translation", c.train)
}

func (c *config) train(t *frame.Training) error {
	if c.size.embed < 2 || c.size.embed%2 != 0 || c.size.heads < 1 || c.size.embed%c.size.heads != 0 {
		return errors.New("-embed-size must be even and a multiple of -attn-heads")
	}
	text, err := c.read()
	if err != nil {
		return err
	}
	model := newTranslator(c.size, text.source.Len(), text.target.Len())
	defer model.Close()
	if c.load != "" {
		c.epochs = 0
	}
	if err := weights.Load(c.load, model); err != nil {
		return err
	}
	opt := optim.NewAdam(model.Parameters(), optim.LR(c.lr), optim.Betas(0.9, 0.98), optim.Eps(1e-9))
	defer opt.Close()
	padded := data.PadCollate(data.PaddingValue(pad))
	loader := data.NewLoader(text.train, data.BatchSize(c.batch), data.Shuffle(true), padded)
	valid := data.NewLoader(text.valid, data.BatchSize(c.batch), padded)
	fmt.Fprintf(t.Out, "%d pairs, %d for validation, %d and %d words\n", text.train.Len(), text.valid.Len(),
		text.source.Len(), text.target.Len())
	best := 1e6
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		begun, total, steps := time.Now(), 0.0, 0.0
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			loss := model.loss(batch)
			loss.Backward()
			opt.Step()
			t.Add(loss.Item())
			total, steps = total+loss.Item(), steps+1
			bar.Step()
			if t.Ended() {
				break
			}
		}
		bar.End()
		took, loss := time.Since(begun), model.validate(valid)
		fmt.Fprintf(t.Out, "epoch %d: %.1f s, loss %.4f, validation %.4f\n", epoch, took.Seconds(), total/steps, loss)
		if loss < best {
			if err := weights.Save(c.save, model); err != nil {
				return err
			}
		}
		best = min(best, loss)
	}
	model.Eval()
	for _, p := range text.shown[:min(c.show, len(text.shown))] {
		fmt.Fprintf(t.Out, "%s: %s (%s)\n", p.source, text.translate(model, p.source), p.target)
	}
	if c.translate != "" {
		fmt.Fprintf(t.Out, "%s: %s\n", c.translate, text.translate(model, c.translate))
	}
	return nil
}

// loss returns the mean loss per word of the translations in a batch.
func (m *translator) loss(batch data.Batch) *torch.Tensor {
	// The input is all words except the last, and the target is all words except the
	// first.
	n := batch.Target.Size(0) - 1
	scores := m.Forward(batch.Input, batch.Target.Narrow(0, 0, n))
	return F.CrossEntropy(scores.Flatten(0, 1), batch.Target.Narrow(0, 1, n).Flatten(0, 1), F.IgnoreIndex(pad))
}

// validate returns the mean loss over the loader's batches.
func (m *translator) validate(loader *data.Loader) (mean float64) {
	m.Eval()
	defer m.Train()
	torch.NoGrad(func() {
		for batch := range loader.All() {
			mean += m.loss(batch).Item() / float64(loader.Len())
		}
	})
	return mean
}
