package dcp

import (
	"context"
	"io"
	"reflect"

	"github.com/gotorch/gotorch/torch/distributed"
)

// SaveWith is Save with another function to write files.
func SaveWith(with func(path string, write func(w io.Writer) error) error) func(ctx context.Context,
	g *distributed.ProcessGroup, state map[string]any, dir string, opts ...SaveOption) error {
	return func(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string,
		opts ...SaveOption,
	) error {
		return save(ctx, g, state, dir, with, opts)
	}
}

// Encode returns the contents of .metadata.
func Encode(m *Metadata) ([]byte, error) { return m.encode("") }

// Overlapping finds two boxes that share elements.
func Overlapping(at, size [][]int64) (i, j int, ok bool) {
	all := make([]box, len(at))
	for n := range all {
		all[n] = box{at[n], size[n]}
	}
	return findOverlap(all)
}

// Far returns an error as another rank gets it.
func Far(err error) error { return reportOf(err).error() }

// Convert converts a value of a file to the type of another value.
func Convert(v, like any) (any, error) { return convert(v, reflect.TypeOf(like)) }

// Needed are the settings that a checkpoint must have for an optimizer that has them.
var Needed = requiredSettings
