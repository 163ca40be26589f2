package main

import (
	"encoding/csv"
	"errors"
	"os"

	"github.com/gotorch/gotorch/torch/data"
)

// A source is the data of a run.
type source struct {
	table        *data.Table
	examples     *data.TensorDataset
	train, valid data.Dataset
	inputs       int64    // number of input columns
	classes      []string // names of the classes, in the order of their numbers
}

// load reads a CSV file of numbers whose last column is the class. A fifth of the rows is
// for validation.
func load(path string) (*source, error) {
	names, err := header(path)
	if err != nil {
		return nil, err
	}
	if len(names) < 2 {
		return nil, errors.New(path + " needs at least two columns: inputs, and the class")
	}
	class := names[len(names)-1]
	table, err := data.ReadCSV(path, data.Categories{class: nil})
	if err != nil {
		return nil, err
	}
	examples := table.Dataset(class)
	parts := data.RandomSplitFractions(examples, []float64{0.8, 0.2})
	return &source{
		table: table, examples: examples, train: parts[0], valid: parts[1],
		inputs: int64(len(names) - 1), classes: table.Words(class),
	}, nil
}

// Close frees the data.
func (s *source) Close() error { return errors.Join(s.examples.Close(), s.table.Close()) }

// header returns the names of the columns.
func header(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return csv.NewReader(f).Read()
}
