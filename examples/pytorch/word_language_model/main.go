// Command word_language_model learns which word follows others, as PyTorch's example of that
// name does: a network of tanh or ReLU units, an LSTM, a GRU or a transformer. It reads the
// documentation of Go's standard library, or the files of WikiText-2, and writes a text of its
// own. reference.py is the same program in Python; with the same seed both print the same.
//
//	go run ./pytorch/word_language_model -epochs 6                      # an LSTM
//	go run ./pytorch/word_language_model -model Transformer -lr 5       # or RNN_TANH, RNN_RELU, GRU
//	go run ./pytorch/word_language_model -data ./wikitext-2             # train.txt, valid.txt, test.txt
//	go run ./pytorch/word_language_model -save model.pt                 # keeps the best weights
//	go run ./pytorch/word_language_model -load model.pt -generate 1000  # writes, and trains nothing
package main

import (
	"errors"
	"flag"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
)

// config is what the flags say.
type config struct {
	frame.Flags
	data, model, save, load        string
	emsize, nhid, nlayers, nhead   int64
	lr, clip, dropout, temperature float64
	epochs, batch, bptt, every     int
	generate                       int
	tied, adamW                    bool
}

// defaults are those of PyTorch's example.
func defaults() config {
	c := config{
		Flags: frame.Defaults(), model: "LSTM", emsize: 200, nhid: 200, nlayers: 2, nhead: 2,
		lr: 20, clip: 0.25, dropout: 0.2, temperature: 1,
		epochs: 40, batch: 20, bptt: 35, every: 200, generate: 100,
	}
	c.Seed = 1111
	return c
}

func main() {
	c := defaults()
	c.Register()
	flag.StringVar(&c.data, "data", c.data,
		"a folder with train.txt, valid.txt and test.txt, or a text; else the documentation of Go's standard library")
	flag.StringVar(&c.model, "model", c.model, "RNN_TANH, RNN_RELU, LSTM, GRU or Transformer")
	flag.Int64Var(&c.emsize, "emsize", c.emsize, "features of a word")
	flag.Int64Var(&c.nhid, "nhid", c.nhid, "hidden units of a layer")
	flag.Int64Var(&c.nlayers, "nlayers", c.nlayers, "layers")
	flag.Int64Var(&c.nhead, "nhead", c.nhead, "heads of a layer of the transformer")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate at first")
	flag.Float64Var(&c.clip, "clip", c.clip, "the largest norm of the gradients")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the text")
	flag.IntVar(&c.batch, "batch-size", c.batch, "texts side by side")
	flag.IntVar(&c.bptt, "bptt", c.bptt, "words of a step")
	flag.Float64Var(&c.dropout, "dropout", c.dropout, "share of features that are left out in training")
	flag.BoolVar(&c.tied, "tied", c.tied, "one table for the features of words and for their scores")
	flag.BoolVar(&c.adamW, "use-optimizer", c.adamW, "AdamW in place of plain steps along the gradient")
	flag.IntVar(&c.every, "log-interval", c.every, "steps between two lines")
	flag.StringVar(&c.save, "save", c.save, "write the best weights to this file, as torch.save does")
	flag.StringVar(&c.load, "load", c.load, "read the weights from this file, and train nothing")
	flag.IntVar(&c.generate, "generate", c.generate, "write so many words in the end")
	flag.Float64Var(&c.temperature, "temperature", c.temperature,
		"below 1 the likely words are preferred, above 1 the others")
	c.Main("word_language_model", c.train)
}

// check looks at what no other part does.
func (c config) check() error {
	transformer := c.model == "Transformer"
	switch {
	case c.epochs < 0 || c.batch < 1 || c.bptt < 1 || c.every < 1 || c.generate < 0:
		return errors.New("-batch-size, -bptt and -log-interval have to be 1 or more, -epochs and -generate 0 or more")
	case c.emsize < 1 || c.nhid < 1 || c.nlayers < 1 || c.nhead < 1:
		return errors.New("-emsize, -nhid, -nlayers and -nhead have to be 1 or more")
	case transformer && (c.emsize%2 != 0 || c.emsize%c.nhead != 0):
		return errors.New("-emsize of a transformer has to be even and a multiple of -nhead")
	case c.tied && !transformer && c.emsize != c.nhid:
		return errors.New("-tied wants -nhid to be -emsize")
	case c.temperature < 1e-3:
		return errors.New("-temperature has to be 0.001 or more")
	}
	return nil
}
