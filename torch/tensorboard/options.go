package tensorboard

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A WriterOption is an argument of [NewSummaryWriter] that Python takes by keyword:
// [Comment], [PurgeStep], [MaxQueue], [FlushSecs] or [FilenameSuffix].
//
//gotorch:options Comment PurgeStep MaxQueue FlushSecs FilenameSuffix
type WriterOption interface{ writerOption() }

// An EventOption is an argument of [SummaryWriter.AddScalars], [SummaryWriter.AddText] and
// [SummaryWriter.AddFigure] that Python takes by keyword: [WallTime].
//
//gotorch:options WallTime
type EventOption interface{ eventOption() }

// A ScalarOption is an argument of [SummaryWriter.AddScalar] that Python takes by keyword:
// [WallTime], [NewStyle] or [DoublePrecision].
//
//gotorch:options WallTime NewStyle DoublePrecision
type ScalarOption interface{ scalarOption() }

// A HistogramOption is an argument of [SummaryWriter.AddHistogram] that Python takes by
// keyword: [WallTime], [Bins] or [MaxBins].
//
//gotorch:options WallTime Bins MaxBins
type HistogramOption interface{ histogramOption() }

// An ImageOption is an argument of [SummaryWriter.AddImage] and [SummaryWriter.AddImages]
// that Python takes by keyword: [WallTime] or [DataFormats].
//
//gotorch:options WallTime DataFormats
type ImageOption interface{ imageOption() }

// An HParamsOption is an argument of [SummaryWriter.AddHParams] that Python takes by
// keyword: [RunName], [HParamDomainDiscrete] or [GlobalStep].
//
//gotorch:options RunName HParamDomainDiscrete GlobalStep
type HParamsOption interface{ hparamsOption() }

// Comment is appended to the name of the default directory; comment in Python. The
// default is "". With an explicit directory a comment causes ErrValue; Python ignores it.
type Comment string

// PurgeStep is the step at which an interrupted training run resumes; purge_step in
// Python. TensorBoard hides events of that step and later that were written before. By
// default nothing is hidden.
type PurgeStep int

// MaxQueue is the number of events to buffer before writing; max_queue in Python. The
// default is 10. With 0 only FlushSecs, Flush and Close write. A negative number causes
// ErrValue.
type MaxQueue int

// FlushSecs is the longest time in seconds before an event is written; flush_secs in
// Python. The default is 120. With 0 each event is written immediately. A negative number
// or NaN causes ErrValue.
type FlushSecs float64

// FilenameSuffix is appended to file names; filename_suffix in Python. The default is "".
type FilenameSuffix string

// WallTime is the time of an event in seconds since 1970; walltime in Python. The default
// is now.
type WallTime float64

// NewStyle writes a scalar as a tensor, which newer versions of TensorBoard load faster;
// new_style in Python. The default is false.
type NewStyle bool

// DoublePrecision writes a new-style scalar in 64 bits; double_precision in Python. The
// default is false. An old-style scalar always has 32 bits. Without NewStyle,
// DoublePrecision(true) therefore causes ErrValue; Python ignores it.
type DoublePrecision bool

// Bins are the increasing edges of a histogram's bins; bins in Python. The default, and
// nil, are TensorFlow's: 0 and ±1e-12, each edge 1.1 times the one before, up to 1e20.
// Fewer than two edges, or decreasing edges, cause ErrValue.
type Bins []float64

// MaxBins is the largest number of bins; neighbors are merged if there are more. max_bins
// in Python. The default is no limit. A number below 1 causes ErrValue.
type MaxBins int

// DataFormats names the dimensions of an image by letters: N for images, C for channels,
// H for height, W for width; dataformats in Python. The default is "CHW" for AddImage and
// "NCHW" for AddImages. Both take "NCHW", "NHWC", "CHW", "HWC", "HW" and "WH", and all
// other orders of these letters; anything else causes ErrValue.
type DataFormats string

// RunName is the subdirectory for the values of one AddHParams; run_name in Python. The
// default, and "", is the time. A name that leads out of the writer's directory causes
// ErrValue.
type RunName string

// HParamDomainDiscrete are all possible values of hyperparameters, by name;
// hparam_domain_discrete in Python. The default, and nil, is none. A name that is not a
// hyperparameter, or a value of a different type, causes ErrValue.
type HParamDomainDiscrete map[string][]any

// GlobalStep is the step of the values that AddHParams adds; global_step in Python. The
// default is 0.
type GlobalStep int

// settings holds the values of a writer's options.
type settings struct {
	comment, suffix string
	purge           *int
	queue           int
	flush           float64
}

func readWriter(opts []WriterOption) (settings, error) {
	const op = "tensorboard.NewSummaryWriter"
	s := settings{queue: 10, flush: 120}
	for _, o := range opts {
		switch o := o.(type) {
		case Comment:
			s.comment = string(o)
		case PurgeStep:
			step := int(o)
			s.purge = &step
		case MaxQueue:
			s.queue = int(o)
		case FlushSecs:
			s.flush = float64(o)
		case FilenameSuffix:
			s.suffix = string(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if s.queue < 0 {
		return s, torch.NewError(op, torch.ErrValue, "MaxQueue",
			fmt.Sprintf("expected 0 or more events, got %d", s.queue))
	}
	if !(s.flush >= 0) {
		return s, torch.NewError(op, torch.ErrValue, "FlushSecs",
			fmt.Sprintf("expected 0 or more seconds, got %v", s.flush))
	}
	return s, nil
}

// event is the time and step of an event.
type event struct {
	wall float64 // 0 if now is set
	now  bool
	step int
}

func readEvent(op string, step int, opts []EventOption) event {
	e := event{now: true, step: step}
	for _, o := range opts {
		switch o := o.(type) {
		case WallTime:
			e.wall, e.now = float64(o), false
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return e
}
