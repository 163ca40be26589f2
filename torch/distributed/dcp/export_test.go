package dcp

import (
	"context"
	"io"
	"reflect"

	"github.com/gotorch/gotorch/torch/distributed"
)

// SaveWith returns Save with a given function to write files.
func SaveWith(with func(path string, write func(w io.Writer) error) error) func(ctx context.Context,
	g *distributed.ProcessGroup, state map[string]any, dir string, opts ...SaveOption) error {
	return func(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string,
		opts ...SaveOption,
	) error {
		return save(ctx, g, state, dir, with, opts)
	}
}

// Encode returns the contents of .metadata for m.
func Encode(m *Metadata) ([]byte, error) { return m.encode("") }

// Overlapping calls findOverlap.
func Overlapping(at, size [][]int64) (i, j int, ok bool) {
	all := make([]box, len(at))
	for n := range all {
		all[n] = box{at[n], size[n]}
	}
	return findOverlap(all)
}

// Far returns err as another rank receives it.
func Far(err error) error { return reportOf(err).error() }

// Convert converts a value from a checkpoint to the type of like.
func Convert(v, like any) (any, error) { return convert(v, reflect.TypeOf(like), 1000) }

// Needed are the settings that a checkpoint must contain if the optimizer has them.
var Needed = requiredSettings
