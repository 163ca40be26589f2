package tensorboard

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/wire"
	"github.com/gotorch/gotorch/torch"
)

// A SummaryWriter writes events for TensorBoard into a folder. All its methods may be called
// by several goroutines at once.
type SummaryWriter struct {
	folder   string
	settings settings
	main     *file

	mu     sync.Mutex
	others map[string]*file // of AddScalars, by folder
	closed bool
}

// NewSummaryWriter returns a writer with a new file of events in a folder, which is made if
// it is not there. Without a name the folder is runs/, time and host, such as
// runs/May04_22-14-54_lab, with [Comment] at the end. Trainings that are to be compared have
// folders side by side. Close the writer at the end.
//
// It returns an error if the file cannot be made, and ErrValue for an option that is wrong.
// Follows torch.utils.tensorboard.SummaryWriter.
func NewSummaryWriter(logDir string, opts ...WriterOption) (*SummaryWriter, error) {
	s, err := readWriter(opts)
	if err != nil {
		return nil, err
	}
	if logDir == "" {
		logDir = folderOf(s.comment)
	} else if s.comment != "" {
		return nil, torch.NewError("tensorboard.NewSummaryWriter", torch.ErrValue, "Comment", "it belongs to the default folder's name, and a folder is given")
	}
	w := &SummaryWriter{folder: logDir, settings: s, others: map[string]*file{}}
	if w.main, err = newFile(logDir, s); err != nil {
		return nil, err
	}
	if s.purge != nil {
		const op = "tensorboard.NewSummaryWriter"
		const start = 1 // SessionLog.START
		e := event{now: true, step: *s.purge}
		err = errors.Join(
			w.main.add(op, e, eventVersion, []byte(fileVersion)),
			w.main.add(op, e, eventSession, wire.AppendInt(nil, 1, start)))
		if err != nil {
			_ = w.main.close()
			return nil, err
		}
	}
	return w, nil
}

// add appends an event to the writer's own file.
func (w *SummaryWriter) add(op string, e event, field int, content []byte) error {
	if err := w.made(op); err != nil {
		return err
	}
	return w.main.add(op, e, field, content)
}

func (w *SummaryWriter) made(op string) error {
	if w == nil || w.main == nil {
		return torch.NewError(op, torch.ErrNil, "receiver", "a SummaryWriter without a file; NewSummaryWriter makes one")
	}
	return nil
}

// LogDir returns the folder of the writer, "" for one that NewSummaryWriter did not
// make; get_logdir in Python.
func (w *SummaryWriter) LogDir() string {
	if w == nil {
		return ""
	}
	return w.folder
}

// Flush writes all events to their files, flush in Python. It returns the first error, also
// one of an earlier write that time asked for; after Close ErrClosed.
func (w *SummaryWriter) Flush() error {
	if err := w.made("tensorboard.SummaryWriter.Flush"); err != nil {
		return err
	}
	var errs []error
	for _, f := range w.files() {
		errs = append(errs, f.sync("tensorboard.SummaryWriter.Flush"))
	}
	return errors.Join(errs...)
}

// Close writes all events and closes the files, close in Python. A second Close, and one of a
// nil writer, does nothing. Adding to a closed writer is ErrClosed; Python begins another
// file.
func (w *SummaryWriter) Close() error {
	if w == nil || w.main == nil {
		return nil
	}
	w.mu.Lock()
	w.closed = true // before the files are listed: no goroutine adds one from here on
	w.mu.Unlock()
	var errs []error
	for _, f := range w.files() {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}

// files are those of the writer, the main one first.
func (w *SummaryWriter) files() []*file {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []*file{w.main}
	for _, name := range slices.Sorted(maps.Keys(w.others)) {
		all = append(all, w.others[name])
	}
	return all
}

// other returns the file of one curve of AddScalars.
func (w *SummaryWriter) other(op, folder string) (*file, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, closed(op)
	}
	if f := w.others[folder]; f != nil {
		return f, nil
	}
	f, err := newFile(folder, w.settings)
	if err == nil {
		w.others[folder] = f
	}
	return f, err
}

// below returns a folder in the writer's, out of which a name that comes from elsewhere may
// not lead.
func (w *SummaryWriter) below(op, argument, name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", torch.NewError(op, torch.ErrValue, argument, fmt.Sprintf("%q leads out of the writer's folder", name))
	}
	return filepath.Join(w.folder, name), nil
}

// AddScalar adds one number of a curve, add_scalar in Python. tag is the curve's name; a
// slash in it groups curves. The number is kept in 32 bits, unless [NewStyle] and
// [DoublePrecision] say otherwise.
func (w *SummaryWriter) AddScalar(tag string, value float64, step int64, opts ...ScalarOption) error {
	const op = "tensorboard.SummaryWriter.AddScalar"
	e, newStyle, double := event{now: true, step: step}, false, false
	for _, o := range opts {
		switch o := o.(type) {
		case WallTime:
			e.wall, e.now = float64(o), false
		case NewStyle:
			newStyle = bool(o)
		case DoublePrecision:
			double = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if double && !newStyle {
		return torch.NewError(op, torch.ErrValue, "DoublePrecision", "a scalar of the old style has 32 bits; give NewStyle(true) too")
	}
	if newStyle {
		return w.add(op, e, eventSummary, tensorScalar(tag, value, double))
	}
	return w.add(op, e, eventSummary, scalar(tag, value))
}

// AddScalars adds one number to each of several curves that TensorBoard draws into one
// diagram, by the curves' names; add_scalars in Python. Each curve is a run of its own, with
// a folder and a file below the writer's: for many curves over time, AddScalar with a slash in
// the tag is lighter. A name with dots that lead out of the writer's folder is ErrValue.
func (w *SummaryWriter) AddScalars(mainTag string, values map[string]float64, step int64, opts ...EventOption) error {
	const op = "tensorboard.SummaryWriter.AddScalars"
	e := readEvent(op, step, opts)
	if err := w.made(op); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var f *file
		folder, err := w.below(op, "values", strings.ReplaceAll(mainTag, "/", "_")+"_"+name)
		if err == nil {
			f, err = w.other(op, folder)
		}
		if err == nil {
			err = f.add(op, e, eventSummary, scalar(mainTag, values[name]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AddText adds a text in Markdown, add_text in Python. The tag gets "/text_summary" at its
// end, as in Python.
func (w *SummaryWriter) AddText(tag, text string, step int64, opts ...EventOption) error {
	const op = "tensorboard.SummaryWriter.AddText"
	return w.add(op, readEvent(op, step, opts), eventSummary, textOf(tag, text))
}
