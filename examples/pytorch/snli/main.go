// Command snli learns whether a sentence follows from another, contradicts it, or does
// neither. It is PyTorch's example for the Stanford Natural Language Inference corpus. An
// LSTM encodes both sentences, and a network compares the encodings. reference.py is the
// same program in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/snli                                   # sentences of a small grammar
//	go run ./pytorch/snli -data snli_1.0_train.jsonl -dev snli_1.0_dev.jsonl
//	go run ./pytorch/snli -word-vectors glove.6B.100d.txt   # pretrained word vectors
//	go run ./pytorch/snli -save snli.pt                     # the best weights; -resume reads them
package main

import (
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
	data, dev, vectors, save, resume            string
	epochs, batch, examples, logEvery, devEvery int
	lr                                          float64
	preserveCase                                bool
	size                                        size
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), epochs: 50, batch: 128, examples: 4000, logEvery: 50, devEvery: 1000, lr: 1e-3,
		size: size{embed: 100, proj: 300, hidden: 300, layers: 1, dropout: 0.2},
	}
}

func main() {
	c := defaults()
	c.Register()
	flag.StringVar(&c.data, "data", c.data,
		"file of pairs in SNLI's format, a line of JSON for each; without it pairs are generated")
	flag.StringVar(&c.dev, "dev", c.dev, "file of pairs for validation; default: the last tenth of the pairs")
	flag.IntVar(&c.examples, "examples", c.examples, "number of generated pairs")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the pairs")
	flag.IntVar(&c.batch, "batch-size", c.batch, "pairs per step")
	flag.Int64Var(&c.size.embed, "d-embed", c.size.embed, "features per word")
	flag.Int64Var(&c.size.proj, "d-proj", c.size.proj, "features that the LSTM reads")
	flag.Int64Var(&c.size.hidden, "d-hidden", c.size.hidden, "features of the LSTM's state")
	flag.Int64Var(&c.size.layers, "n-layers", c.size.layers, "layers of the LSTM")
	flag.Float64Var(&c.size.dropout, "dp-ratio", c.size.dropout, "probability of dropout in training")
	flag.BoolVar(&c.size.oneWay, "no-bidirectional", c.size.oneWay, "read sentences in one direction only")
	flag.BoolVar(&c.size.plain, "no-projection", c.size.plain, "feed word features to the LSTM without a projection")
	flag.BoolVar(&c.size.trained, "train-embed", c.size.trained,
		"also train the word features of -word-vectors")
	flag.BoolVar(&c.preserveCase, "preserve-case", c.preserveCase, "distinguish upper and lower case")
	flag.StringVar(&c.vectors, "word-vectors", c.vectors, "file with a word and its features per line, like GloVe's")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.IntVar(&c.logEvery, "log-every", c.logEvery, "steps between two lines of output")
	flag.IntVar(&c.devEvery, "dev-every", c.devEvery, "steps between two validations")
	flag.StringVar(&c.save, "save", c.save, "save the weights of the best validation in this file")
	flag.StringVar(&c.resume, "resume", c.resume, "start from the weights in this file")
	c.Main("snli", c.train)
}

func (c *config) train(t *frame.Training) error {
	pairs, err := c.read()
	if err != nil {
		return err
	}
	model := newClassifier(c.size, pairs.words.Len(), pairs.labels.Len())
	defer model.Close()
	if c.vectors != "" {
		if err := model.know(c.vectors, pairs.words); err != nil {
			return err
		}
	}
	if err := weights.Load(c.resume, model); err != nil {
		return err
	}
	opt := optim.NewAdam(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	padded := data.PadCollate(data.PaddingValue(pad))
	loader := data.NewLoader(pairs.train, data.BatchSize(c.batch), data.Shuffle(true), padded)
	dev := data.NewLoader(pairs.dev, data.BatchSize(c.batch), padded)
	fmt.Fprintf(t.Out, "%d pairs, %d for validation, %d words\n", pairs.train.Len(), pairs.dev.Len(), pairs.words.Len())
	steps, best, begun := 0, -1.0, time.Now()
	for epoch := 1; epoch <= c.epochs && !t.Ended() && err == nil; epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		right, seen := int64(0), int64(0)
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			answer := model.Forward(batch.Input, batch.Extra[0])
			right += answer.ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			seen += batch.Target.Numel()
			loss := F.CrossEntropy(answer, batch.Target)
			loss.Backward()
			opt.Step()
			t.Add(loss.Item())
			bar.Step()
			steps++
			line := fmt.Sprintf("%.0f s, epoch %d, step %d: loss %.4f, accuracy %.4f", time.Since(begun).Seconds(),
				epoch, steps, loss.Item(), float64(right)/float64(seen))
			switch {
			case steps%c.devEvery == 0 || steps == c.Steps:
				devLoss, accuracy := model.score(dev)
				fmt.Fprintf(t.Out, "%s; validation %.4f, %.4f\n", line, devLoss, accuracy)
				if accuracy > best {
					err = weights.Save(c.save, model)
				}
				best = max(best, accuracy)
			case steps%c.logEvery == 0:
				fmt.Fprintln(t.Out, line)
			}
			if t.Ended() || err != nil {
				break
			}
		}
		bar.End()
	}
	return err
}
