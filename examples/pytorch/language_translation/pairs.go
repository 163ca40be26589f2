package main

import (
	"errors"
	"strings"

	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// The numbers of the special tokens: unknown word, padding, beginning and end of a
// sentence.
const unk, pad, bos, eos = 0, 1, 2, 3

var special = []string{unk: "<unk>", pad: "<pad>", bos: "<bos>", eos: "<eos>"}

// pair is a sentence and its translation.
type pair struct{ source, target string }

// corpus contains the pairs as word numbers. The vocabularies contain only the words of
// the training pairs.
type corpus struct {
	source, target *text.Vocabulary
	train, valid   data.Dataset
	shown          []pair // validation pairs whose translations are printed
}

// read reads the pairs from the file -data, or generates them if no file is given.
func (c *config) read() (t *corpus, err error) {
	pairs := madeUp(int64(max(c.examples, 0)))
	if c.data != "" {
		if pairs, err = readPairs(c.data); err != nil {
			return nil, err
		}
	}
	n := len(pairs) * 9 / 10
	if n == 0 || c.show < 0 {
		return nil, errors.New("-examples, or the number of lines in -data, must be at least 2, -show at least 0")
	}
	t = &corpus{source: text.NewVocabulary(special...), target: text.NewVocabulary(special...), shown: pairs[n:]}
	for _, p := range pairs[:n] {
		for _, word := range text.Split(p.source) {
			t.source.Add(word)
		}
		for _, word := range text.Split(p.target) {
			t.target.Add(word)
		}
	}
	t.train, t.valid = t.numbers(pairs[:n]), t.numbers(pairs[n:])
	return t, nil
}

// numbers returns a data set with a sentence as Input and its translation as Target.
func (t *corpus) numbers(pairs []pair) data.Dataset {
	sources, targets := make([][]int64, len(pairs)), make([][]int64, len(pairs))
	for i, p := range pairs {
		sources[i], targets[i] = ids(t.source, p.source), ids(t.target, p.target)
	}
	return data.NewFuncDataset(len(pairs), func(i int) (data.Example, error) {
		return data.Example{Input: torch.FromSlice(sources[i]), Target: torch.FromSlice(targets[i])}, nil
	})
}

// ids returns the numbers of the words in sentence, preceded by bos and followed by eos.
func ids(v *text.Vocabulary, sentence string) []int64 {
	ids := []int64{bos}
	for _, word := range text.Split(sentence) {
		id, _ := v.Find(word) // returns unk for an unknown word
		ids = append(ids, id)
	}
	return append(ids, eos)
}

// translate returns a model's translation of a sentence.
func (t *corpus) translate(m *translator, sentence string) string {
	source := torch.FromSlice(ids(t.source, sentence)).Unsqueeze(1)
	var words []string
	for _, id := range m.greedy(source, int(source.Size(0))+10) {
		if id > eos {
			words = append(words, t.target.Words[id])
		}
	}
	return strings.Join(words, " ")
}

func readPairs(path string) (pairs []pair, err error) {
	err = text.Lines(path, func(line string) error {
		source, target, ok := strings.Cut(line, "\t")
		if !ok {
			return errors.New("expected a sentence, a tab and its translation")
		}
		pairs = append(pairs, pair{source, target})
		return nil
	})
	return pairs, err
}

var (
	germanLow = strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn " +
		"vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
	germanTens = strings.Fields("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
	englishLow = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen " +
		"fourteen fifteen sixteen seventeen eighteen nineteen")
	englishTens = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
)

// german spells a number below a million. In German the units come before the tens: ein und
// zwanzig.
func german(n int64) string {
	// Before another word, "eins" becomes "ein".
	before := func(n int64) string {
		if n%100 == 1 {
			return strings.TrimSuffix(german(n), "s")
		}
		return german(n)
	}
	switch {
	case n >= 1000:
		return after(before(n/1000)+" tausend", n%1000, german)
	case n >= 100:
		return after(before(n/100)+" hundert", n%100, german)
	case n >= 20 && n%10 != 0:
		return before(n%10) + " und " + germanTens[n/10]
	case n >= 20:
		return germanTens[n/10]
	}
	return germanLow[n]
}

func english(n int64) string {
	switch {
	case n >= 1000:
		return after(english(n/1000)+" thousand", n%1000, english)
	case n >= 100:
		return after(english(n/100)+" hundred", n%100, english)
	case n >= 20:
		return after(englishTens[n/10], n%10, english)
	}
	return englishLow[n]
}

// after appends the spelled-out number rest to words. If rest is 0, it appends nothing.
func after(words string, rest int64, spell func(int64) string) string {
	if rest == 0 {
		return words
	}
	return words + " " + spell(rest)
}

// madeUp generates n training pairs. Each is a number of one to six digits, spelled out in
// both languages.
func madeUp(n int64) []pair {
	pairs := make([]pair, n)
	torch.Scope(func() {
		drawn := torch.RandInt(0, 1<<30, torch.Shape{n, 2}, torch.NewGenerator(torch.CPU).ManualSeed(1)).Int64s()
		below := []int64{10, 100, 1000, 10000, 100000, 1000000}
		for i := range pairs {
			number := drawn[2*i] % below[drawn[2*i+1]%6]
			pairs[i] = pair{german(number), english(number)}
		}
	})
	return pairs
}
