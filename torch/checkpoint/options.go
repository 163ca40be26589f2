package checkpoint

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An Option is an option of [Open]: [Keep], [KeepBest] or [Async].
//
//gotorch:options Keep BestOption Async
type Option interface{ option() }

// A SaveOption is an option of [Manager.Save]: [Metrics].
//
//gotorch:options Metrics
type SaveOption interface{ saveOption() }

// A LoadOption is an option of [Load], [Resume] and [Manager.Resume]: [RNG].
//
//gotorch:options RNG
type LoadOption interface{ loadOption() }

// Keep is the number of good checkpoints to keep. Each save removes checkpoints, good or
// damaged, that are older than these. The default, 0, keeps all.
type Keep int

// Async controls whether [Manager.Save] returns as soon as it has a copy of the state,
// while a goroutine writes the file. The default is false.
type Async bool

// Mode says whether smaller or larger values of a metric are better.
type Mode string

// The modes have the same names as in package schedule.
const (
	ModeMin Mode = "min"
	ModeMax Mode = "max"
)

// BestOption is the type of [KeepBest].
type BestOption struct {
	metric string
	mode   Mode
}

// KeepBest keeps one additional checkpoint, regardless of [Keep]: the checkpoint with the
// smallest or largest value of a metric. If two checkpoints have the same value, it keeps
// the older one. Checkpoints without the metric, or with NaN, are never the best. The
// default is none.
func KeepBest(metric string, mode Mode) BestOption { return BestOption{metric, mode} }

// Metrics are named numbers stored with the state, for [KeepBest] and [List]. Together
// with the step they may take 32 KiB as JSON.
type Metrics map[string]float64

// RNG controls whether a load sets the default random generators. The default is true.
type RNG bool

// settings holds the option values of Open.
type settings struct {
	keep  int
	best  BestOption
	async bool
}

func readOptions(op string, opts []Option) settings {
	var s settings
	for _, o := range opts {
		switch o := o.(type) {
		case Keep:
			if o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "Keep", fmt.Sprintf("expected 0 or more, got %d", o)))
			}
			s.keep = int(o)
		case BestOption:
			if o.metric == "" {
				panic(torch.NewError(op, torch.ErrValue, "KeepBest", "the metric has no name"))
			}
			if o.mode != ModeMin && o.mode != ModeMax {
				panic(torch.NewError(op, torch.ErrValue, "KeepBest",
					fmt.Sprintf("expected mode min or max, got %q", o.mode)))
			}
			s.best = o
		case Async:
			s.async = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}

func readSaving(op string, opts []SaveOption) Metrics {
	return opt.Read(op, opts, Metrics(nil))
}

func readLoading(op string, opts []LoadOption) (rng bool) {
	return bool(opt.Read(op, opts, RNG(true)))
}
