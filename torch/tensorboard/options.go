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

// Comment is put at the end of the default folder's name; comment in Python. The default
// is "". With a folder of the caller's it is ErrValue; Python ignores it there.
type Comment string

// PurgeStep is the step at which a training goes on that was interrupted; purge_step in
// Python. TensorBoard hides events of that step and later ones that were written before.
// Without it nothing is hidden.
type PurgeStep int64

// MaxQueue is how many events are gathered before they are written; max_queue in Python.
// The default is 10. With 0 only time, Flush and Close write. A negative one is ErrValue.
type MaxQueue int

// FlushSecs is after how many seconds at the latest an event is written; flush_secs in
// Python. The default is 120. With 0 each event is written at once. A negative one, or NaN,
// is ErrValue.
type FlushSecs float64

// FilenameSuffix is put at the end of the names of files; filename_suffix in Python. The
// default is "".
type FilenameSuffix string

// WallTime is the time of an event in seconds since 1970; walltime in Python. The default
// is now.
type WallTime float64

// NewStyle writes a scalar as a tensor, which newer versions of TensorBoard load faster;
// new_style in Python. The default is false.
type NewStyle bool

// DoublePrecision writes a scalar of the new style in 64 bits; double_precision in Python.
// The default is false. A scalar of the old style has 32 bits in any case: without NewStyle
// DoublePrecision(true) is ErrValue. Python ignores it there.
type DoublePrecision bool

// Bins are the edges of a histogram's bins, which rise; bins in Python. The default, and nil,
// are TensorFlow's: 0 and ±1e-12, each edge 1.1 times the one before, up to 1e20. Fewer
// than two edges, and edges that fall, are ErrValue.
type Bins []float64

// MaxBins is the largest number of bins: if there are more, neighbours are joined; max_bins
// in Python. Without it none are. Less than 1 is ErrValue.
type MaxBins int

// DataFormats says what the dimensions of an image are, in letters: N for images, C for
// channels, H for height, W for width; dataformats in Python. The default is "CHW" for
// AddImage and "NCHW" for AddImages. Both take "NCHW", "NHWC", "CHW", "HWC", "HW" and "WH",
// and all other orders of these letters; anything else is ErrValue.
type DataFormats string

// RunName is the folder, within the writer's, of the values of one AddHParams; run_name in
// Python. The default, and "", is the time. One that leads out of the writer's is ErrValue.
type RunName string

// HParamDomainDiscrete are all values that a hyperparameter may have, by its name;
// hparam_domain_discrete in Python. The default, and nil, says nothing about them. A name that
// is no hyperparameter's, or values of another type than its own, are ErrValue.
type HParamDomainDiscrete map[string][]any

// GlobalStep is the step of the values of AddHParams; global_step in Python. The default
// is 0.
type GlobalStep int64

// settings are those of a writer.
type settings struct {
	comment, suffix string
	purge           *int64
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
			step := int64(o)
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
		return s, torch.NewError(op, torch.ErrValue, "MaxQueue", fmt.Sprintf("expected a number of events, 0 or more, got %d", s.queue))
	}
	if !(s.flush >= 0) {
		return s, torch.NewError(op, torch.ErrValue, "FlushSecs", fmt.Sprintf("expected seconds, 0 or more, got %v", s.flush))
	}
	return s, nil
}

// event is when something happened.
type event struct {
	wall float64 // 0 with now
	now  bool
	step int64
}

func readEvent(op string, step int64, opts []EventOption) event {
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
