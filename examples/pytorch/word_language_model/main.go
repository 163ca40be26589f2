// Command word_language_model trains a language model, like PyTorch's example of that
// name: a network of tanh or ReLU units, an LSTM, a GRU or a transformer. It learns from
// the documentation of Go's standard library, or from the files of WikiText-2, and then
// generates text. reference.py is the same program in Python. With the same seed both
// print the same numbers.
//
//	go run ./pytorch/word_language_model -epochs 6                      # an LSTM
//	go run ./pytorch/word_language_model -model Transformer -lr 5       # or RNN_TANH, RNN_RELU, GRU
//	go run ./pytorch/word_language_model -data ./wikitext-2             # train.txt, valid.txt, test.txt
//	go run ./pytorch/word_language_model -save model.pt                 # keeps the best weights
//	go run ./pytorch/word_language_model -load model.pt -generate 1000  # only generates text
package main

import (
	"errors"
	"flag"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
)

// config has the values of the flags.
type config struct {
	frame.Flags
	data, model, save, load        string
	emsize, nhid, nlayers, nhead   int64
	lr, clip, dropout, temperature float64
	epochs, batch, bptt, every     int
	generate                       int
	tied, adamW                    bool
}

// defaults returns the default flags of PyTorch's example.
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
		"folder with train.txt, valid.txt and test.txt, or a text; default: documentation of Go's standard library")
	flag.StringVar(&c.model, "model", c.model, "RNN_TANH, RNN_RELU, LSTM, GRU or Transformer")
	flag.Int64Var(&c.emsize, "emsize", c.emsize, "features per word")
	flag.Int64Var(&c.nhid, "nhid", c.nhid, "hidden units per layer")
	flag.Int64Var(&c.nlayers, "nlayers", c.nlayers, "layers")
	flag.Int64Var(&c.nhead, "nhead", c.nhead, "heads of a layer of the transformer")
	flag.Float64Var(&c.lr, "lr", c.lr, "initial learning rate")
	flag.Float64Var(&c.clip, "clip", c.clip, "largest norm of the gradients")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the text")
	flag.IntVar(&c.batch, "batch-size", c.batch, "texts per batch")
	flag.IntVar(&c.bptt, "bptt", c.bptt, "words per step")
	flag.Float64Var(&c.dropout, "dropout", c.dropout, "probability of dropout in training")
	flag.BoolVar(&c.tied, "tied", c.tied, "share one table for the features and the scores of words")
	flag.BoolVar(&c.adamW, "use-optimizer", c.adamW, "use AdamW instead of plain gradient descent")
	flag.IntVar(&c.every, "log-interval", c.every, "steps between two lines of output")
	flag.StringVar(&c.save, "save", c.save, "write the best weights to this file, as torch.save does")
	flag.StringVar(&c.load, "load", c.load, "read the weights from this file, and skip the training")
	flag.IntVar(&c.generate, "generate", c.generate, "number of words to write at the end")
	flag.Float64Var(&c.temperature, "temperature", c.temperature,
		"below 1 favors likely words, above 1 unlikely ones")
	c.Main("word_language_model", c.train)
}

// check returns an error for invalid flag values that no other function rejects.
func (c config) check() error {
	transformer := c.model == "Transformer"
	switch {
	case c.epochs < 0 || c.batch < 1 || c.bptt < 1 || c.every < 1 || c.generate < 0:
		return errors.New("-batch-size, -bptt and -log-interval must be at least 1, -epochs and -generate at least 0")
	case c.emsize < 1 || c.nhid < 1 || c.nlayers < 1 || c.nhead < 1:
		return errors.New("-emsize, -nhid, -nlayers and -nhead must be at least 1")
	case transformer && (c.emsize%2 != 0 || c.emsize%c.nhead != 0):
		return errors.New("-emsize of a transformer must be even and a multiple of -nhead")
	case c.tied && !transformer && c.emsize != c.nhid:
		return errors.New("with -tied, -nhid must equal -emsize")
	case c.temperature < 1e-3:
		return errors.New("-temperature must be at least 0.001")
	}
	return nil
}
