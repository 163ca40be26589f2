package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// meter prints the last value of a series and the mean of the series.
type meter struct {
	name, format     string
	last, sum, count float64
}

// add adds v, which is the mean of n values, to the series.
func (m *meter) add(v float64, n int64) {
	m.last = v
	m.sum += v * float64(n)
	m.count += float64(n)
}

func (m *meter) mean() float64 { return m.sum / m.count }

func (m *meter) String() string {
	return fmt.Sprintf("%s "+m.format+" ("+m.format+")", m.name, m.last, m.mean())
}

// meters contains the meters of one pass over the images. It prints a line every
// -print-freq steps.
type meters struct {
	out                          io.Writer // nil prints nothing
	title                        string
	batches, every               int
	time, data, loss, top1, top5 meter
	last                         time.Time // the end of the last step
}

func (t *training) meters(title string, batches int) *meters {
	m := &meters{
		out: t.Out, title: title, batches: batches, every: t.printFreq, last: time.Now(),
		time: meter{name: "Time", format: "%6.3f"}, data: meter{name: "Data", format: "%6.3f"},
		loss: meter{name: "Loss", format: "%.4e"}, top1: meter{name: "Acc@1", format: "%6.2f"},
		top5: meter{name: "Acc@5", format: "%6.2f"},
	}
	if t.config.Quiet {
		m.out = nil
	}
	return m
}

// loaded records how long loading took. Call it when a batch is loaded.
func (m *meters) loaded() { m.data.add(time.Since(m.last).Seconds(), 1) }

// score adds the loss and the accuracies of a batch: how often the true class is the most
// likely class, and how often it is among the five most likely. out is (N, classes).
func (m *meters) score(loss, out, target *torch.Tensor) {
	n := target.Numel()
	m.loss.add(loss.Item(), n)
	torch.Scope(func() {
		_, guesses := out.Detach().TopK(5)
		right := guesses.Eq(target.Unsqueeze(1))
		percent := 100 / float64(n)
		m.top1.add(percent*right.Select(1, 0).Sum().Item(), n)
		m.top5.add(percent*right.Sum().Item(), n)
	})
}

// stepped records the duration of step i. Call it at the end of the step.
func (m *meters) stepped(i int) {
	m.time.add(time.Since(m.last).Seconds(), 1)
	m.last = time.Now()
	if m.out == nil || i%m.every != 0 {
		return
	}
	total := strconv.Itoa(m.batches)
	columns := []string{fmt.Sprintf("%s[%*d/%s]", m.title, len(total), i+1, total)}
	for _, one := range []*meter{&m.time, &m.data, &m.loss, &m.top1, &m.top5} {
		columns = append(columns, one.String())
	}
	fmt.Fprintln(m.out, strings.Join(columns, "\t"))
}
