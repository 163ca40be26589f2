package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch/tensorboard"
)

// record contains the measurements of one step.
type record struct {
	Step  int     `json:"step"`
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"` // loss of the step's last batch
	LR    float64 `json:"lr"`
	Norm  float64 `json:"norm"` // norm of the gradients before clipping
}

// metrics writes records to metrics.csv and metrics.jsonl. It writes records, validation
// results and histograms to TensorBoard's files. The zero value writes nothing.
type metrics struct {
	table, lines *os.File
	csv          *csv.Writer
	board        *tensorboard.SummaryWriter
}

// open creates the files in a directory. If resume is true, it continues the existing
// files after the line for step.
func (m *metrics) open(folder string, resume bool, step int) (err error) {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = m.Close()
		}
	}()
	if m.table, err = m.reopen(filepath.Join(folder, "metrics.csv"), resume, step); err != nil {
		return err
	}
	if m.lines, err = m.reopen(filepath.Join(folder, "metrics.jsonl"), resume, step-1); err != nil { // has no header
		return err
	}
	m.csv = csv.NewWriter(m.table)
	var opts []tensorboard.WriterOption
	if resume {
		opts = append(opts, tensorboard.PurgeStep(step+1))
	} else if err := m.csv.Write([]string{"step", "epoch", "loss", "lr", "norm"}); err != nil {
		return err
	}
	m.board, err = tensorboard.NewSummaryWriter(folder, opts...)
	return err
}

// reopen opens a file to append to it. If resume is true, it first removes all lines after
// line number last. A killed process may have written lines for steps that it did not save.
func (m *metrics) reopen(name string, resume bool, last int) (*os.File, error) {
	if !resume {
		return os.Create(name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	end := 0
	for i, b := range text {
		if b == '\n' {
			if end = i + 1; last == 0 {
				break
			}
			last--
		}
	}
	if err := os.Truncate(name, int64(end)); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
}

func (m *metrics) add(r record) error {
	if m.table == nil {
		return nil
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }
	line, err := json.Marshal(r)
	if err != nil { // JSON has no NaN
		line = fmt.Appendf(nil, `{"step":%d,"epoch":%d,"loss":null}`, r.Step, r.Epoch)
	}
	_, err = m.lines.Write(append(line, '\n'))
	return errors.Join(err,
		m.csv.Write([]string{
			strconv.Itoa(r.Step), strconv.Itoa(r.Epoch), number(r.Loss), number(r.LR),
			number(r.Norm),
		}),
		m.board.AddScalar("loss/train", r.Loss, r.Step),
		m.board.AddScalar("lr", r.LR, r.Step),
		m.board.AddScalar("norm", r.Norm, r.Step))
}

// validated writes the results of a validation, and histograms of the weights.
func (m *metrics) validated(step int, trained, loss, accuracy float64, weights nn.StateDict) error {
	if m.table == nil {
		return nil
	}
	var errs []error
	for _, n := range weights {
		errs = append(errs, m.board.AddHistogram(n.Name, n.Tensor, step))
	}
	return errors.Join(append(errs,
		m.board.AddScalar("loss/epoch", trained, step),
		m.board.AddScalar("loss/validation", loss, step),
		m.board.AddScalar("accuracy", accuracy, step),
		m.flush())...)
}

// flush writes all buffered data to the files.
func (m *metrics) flush() error {
	if m.table == nil {
		return nil
	}
	m.csv.Flush()
	return errors.Join(m.csv.Error(), m.board.Flush())
}

// Close closes the open files.
func (m *metrics) Close() (err error) {
	if m.csv != nil && m.board != nil {
		err = m.flush()
	}
	if m.board != nil {
		err = errors.Join(err, m.board.Close())
	}
	for _, c := range []io.Closer{m.table, m.lines} {
		if f, ok := c.(*os.File); ok && f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	*m = metrics{}
	return err
}
