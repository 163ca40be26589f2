package dcp

import (
	"context"
	"io"
	"reflect"

	"github.com/gotorch/gotorch/torch/distributed"
)

// SaveWith is Save with something else that writes its files.
func SaveWith(with func(path string, write func(w io.Writer) error) error) func(ctx context.Context, g *distributed.ProcessGroup, dir string, state map[string]any, opts ...SaveOption) error {
	return func(ctx context.Context, g *distributed.ProcessGroup, dir string, state map[string]any, opts ...SaveOption) error {
		return save(ctx, g, dir, state, with, opts)
	}
}

// Encode is what is written as .metadata.
func Encode(m *Metadata) ([]byte, error) { return m.encode("") }

// Overlapping finds two boxes that share elements.
func Overlapping(at, size [][]int64) (i, j int, ok bool) {
	all := make([]box, len(at))
	for n := range all {
		all[n] = box{at[n], size[n]}
	}
	return overlapping(all)
}

// Far is an error as another rank gets it.
func Far(err error) error { return reportOf(err).error() }

// Convert is a value of a file in the type of another one.
func Convert(v, like any) (any, error) { return convert(v, reflect.TypeOf(like)) }

// Needed are the settings that a checkpoint has to have for an optimizer that has them.
var Needed = needed
