package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// pad is the number of the padding token. Unknown words have the number 0.
const pad = 1

// pair is one line of an SNLI file. The label is "-" if the annotators did not agree.
type pair struct {
	Premise    string `json:"sentence1"`
	Hypothesis string `json:"sentence2"`
	Label      string `json:"gold_label"`
}

// corpus contains the pairs as word numbers, with their labels.
type corpus struct {
	words, labels *text.Vocabulary
	train, dev    data.Dataset
}

// read reads the pairs from the file -data, or generates them if no file is given.
func (c *config) read() (*corpus, error) {
	if c.logEvery < 1 || c.devEvery < 1 || c.examples < 10 {
		return nil, errors.New("-log-every and -dev-every must be at least 1, -examples at least 10")
	}
	pairs, err := madeUp(int64(c.examples)), error(nil)
	if c.data != "" {
		pairs, err = readPairs(c.data)
	}
	n := len(pairs) * 9 / 10
	train, dev := pairs[:n], pairs[n:]
	if err == nil && c.dev != "" {
		train = pairs
		dev, err = readPairs(c.dev)
	}
	if err != nil {
		return nil, err
	}
	if len(train) == 0 || len(dev) == 0 {
		return nil, errors.New("there must be at least one pair for training and one for validation")
	}
	t := &corpus{words: text.NewVocabulary("<unk>", "<pad>"), labels: text.NewVocabulary()}
	t.train, t.dev = t.numbers(train, c.preserveCase), t.numbers(dev, c.preserveCase)
	return t, nil
}

// numbers returns a data set with the premise as Input, the label as Target, and the
// hypothesis as Extra.
func (t *corpus) numbers(pairs []pair, preserveCase bool) data.Dataset {
	split := func(sentence string) (ids []int64) {
		if !preserveCase {
			sentence = strings.ToLower(sentence)
		}
		for _, word := range text.Split(sentence) {
			ids = append(ids, t.words.Add(word))
		}
		return ids
	}
	premises, hypotheses, labels := make([][]int64, len(pairs)), make([][]int64, len(pairs)), make([]int64, len(pairs))
	for i, p := range pairs {
		premises[i], hypotheses[i], labels[i] = split(p.Premise), split(p.Hypothesis), t.labels.Add(p.Label)
	}
	return data.NewFuncDataset(len(pairs), func(i int) (data.Example, error) {
		return data.Example{
			Input: torch.FromSlice(premises[i]), Target: torch.ScalarTensor(labels[i], torch.Int64),
			Extra: []*torch.Tensor{torch.FromSlice(hypotheses[i])},
		}, nil
	})
}

// readPairs reads a file of the SNLI corpus.
func readPairs(path string) (pairs []pair, err error) {
	err = text.Lines(path, func(line string) error {
		var p pair
		err := json.Unmarshal([]byte(line), &p)
		if err == nil && (p.Premise == "" || p.Hypothesis == "" || p.Label == "") {
			err = errors.New("expected sentence1, sentence2 and gold_label")
		}
		if p.Label != "-" {
			pairs = append(pairs, p)
		}
		return err
	})
	return pairs, err
}

// The parts of generated sentences. Each entry contains a specific and a general term.
var (
	people = [][2]string{
		{"man", "person"},
		{"woman", "person"},
		{"boy", "child"},
		{"girl", "child"},
		{"dog", "animal"},
		{"cat", "animal"},
	}
	acts = [][2]string{
		{"sleeps", "rests"},
		{"sits", "rests"},
		{"runs", "moves"},
		{"walks", "moves"},
		{"eats", "has something"},
		{"drinks", "has something"},
	}
	places = [][2]string{
		{"in the park", "outdoors"},
		{"on the beach", "outdoors"},
		{"in the kitchen", "indoors"},
		{"in the bedroom", "indoors"},
	}
	looks = []string{"A ", "A young ", "The old "}
)

// madeUp generates n pairs of sentences. A sentence with a general term follows from the
// sentence with the specific term, but not the other way round. A sentence with "No"
// contradicts it.
func madeUp(n int64) []pair {
	pairs := make([]pair, n)
	torch.Scope(func() {
		random := torch.NewGenerator(torch.CPU).ManualSeed(1)
		drawn := torch.RandInt(0, 1<<30, torch.Shape{n, 6}, random).Int64s()
		for i := range pairs {
			r := drawn[6*i : 6*i+6]
			who, act, place, look := people[r[0]%6], acts[r[1]%6], places[r[2]%4], looks[r[3]%3]
			// One bit for each of the three parts of a sentence: whether it uses the
			// general term.
			general := r[4]%7 + 1
			say := func(look string, general int64) string {
				return look + who[general&1] + " " + act[general>>1&1] + " " + place[general>>2] + "."
			}
			exact, said := say(look, 0), say(look, general)
			pairs[i] = [3]pair{
				{exact, said, "entailment"},
				{said, exact, "neutral"},
				{exact, say("No ", general), "contradiction"},
			}[r[5]%3]
		}
	})
	return pairs
}
