package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A versus is one comparison with Python in the picture of the README.
type versus struct {
	row   string // the benchmark
	title string
}

var speed = []versus{
	{"data.items.python", "take a batch from memory"},
	{"serve.throughput.python", "answer a request, small model"},
	{"default.readme.epoch.python", "train the README's program"},
	{"mlp.step.python", "train a small network, a step"},
	{"data.jpeg.python", "decode and resize a JPEG"},
	{"fmnist.epoch.python", "train Fashion-MNIST, an epoch"},
	{"nn.lstm.python", "train an LSTM, a step"},
	{"vision.resnet18.train.python", "train a ResNet-18, a step"},
	{"default.encoder.infer.python", "encode a text by a transformer"},
}

var space = []versus{
	{"data.jpeg.memory", "load JPEGs, all processes"},
	{"gpt.peak.python", "train a GPT, its tensors"},
	{"fmnist.peak.python", "train Fashion-MNIST, its tensors"},
}

// python draws gotorch's times and memory beside Python's. measured are the benchmark's
// results: a table row for each name, as docs/benchmarks.md has them.
func python(measured map[string][]string) (string, error) {
	const (
		names = 300 // where the names end
		bars  = 312 // where the bars begin
		unit  = 300 // length of Python's bar
		line  = 26
	)
	c := &canvas{width: 820, height: 60 + line*(len(speed)+len(space)) + 58}
	y := 30
	section := func(title string, list []versus) error {
		c.text(14, y, "start", title)
		y += 12
		for _, v := range list {
			cells := measured[v.row]
			if len(cells) < 3 {
				return fmt.Errorf("docs/benchmarks.md has no row %s", v.row)
			}
			ratio, err := strconv.ParseFloat(cells[2], 64)
			if err != nil {
				return fmt.Errorf("%s: %w", v.row, err)
			}
			c.text(names, y+16, "end", v.title)
			c.add(`<rect class="p" x="%d" y="%d" width="%d" height="7" rx="2"/>`, bars, y+13, unit)
			c.add(`<rect class="o" x="%d" y="%d" width="%d" height="9" rx="2"/>`, bars, y+4, max(2, int(unit*ratio)))
			c.text(bars+unit+14, y+17, "start", "~ "+unspaced(cells[0])+" instead of "+unspaced(cells[1]))
			y += line
		}
		y += 30
		return nil
	}
	if err := section("Time", speed); err != nil {
		return "", err
	}
	if err := section("Memory", space); err != nil {
		return "", err
	}
	y -= 8
	c.add(`<rect class="o" x="14" y="%d" width="20" height="9" rx="2"/>`, y-9)
	c.text(42, y, "start", "gotorch")
	c.add(`<rect class="p" x="120" y="%d" width="20" height="7" rx="2"/>`, y-8)
	c.text(148, y, "start", "the same program in Python with PyTorch, on the same two cores. Shorter is better.")
	return c.svg("Time and memory of programs in gotorch, beside the same programs in Python: small models and data " +
		"loading take a fraction of the time, large models about the same"), nil
}

// unspaced returns a number with its unit on one line: "6.553 s" with a space that does not
// break.
func unspaced(cell string) string {
	return strings.NewReplacer(" us", "\u00a0µs", " ", "\u00a0").Replace(cell)
}

// rows returns the cells of the benchmark's tables, by the name in the first cell.
func rows(page string) map[string][]string {
	found := map[string][]string{}
	for text := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(text, "| \n"), " | ")
		if strings.HasPrefix(text, "| ") && len(cells) >= 4 && strings.Contains(cells[0], ".") {
			found[cells[0]] = cells[1:4]
		}
	}
	return found
}
