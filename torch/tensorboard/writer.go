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

// A SummaryWriter writes events for TensorBoard to a directory. It is safe for use by
// several goroutines.
type SummaryWriter struct {
	folder   string
	settings settings
	main     *file

	mu     sync.Mutex
	others map[string]*file // the files of AddScalars, by folder
	closed bool
}

// NewSummaryWriter returns a writer with a new event file in a directory, which it
// creates if needed. If logDir is "" the directory is runs/, time and host, such as
// runs/May04_22-14-54_lab, followed by the [Comment]. Put runs to compare in sibling
// directories. Close the writer at the end.
//
// It returns an error if the file cannot be created, and ErrValue for an invalid option.
// Follows torch.utils.tensorboard.SummaryWriter.
func NewSummaryWriter(logDir string, opts ...WriterOption) (*SummaryWriter, error) {
	s, err := readWriter(opts)
	if err != nil {
		return nil, err
	}
	if logDir == "" {
		logDir = folderOf(s.comment)
	} else if s.comment != "" {
		return nil, torch.NewError("tensorboard.NewSummaryWriter", torch.ErrValue, "Comment",
			"applies only to the default folder, but a folder is given")
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

// add appends an event to the writer's main file.
func (w *SummaryWriter) add(op string, e event, field int, content []byte) error {
	if err := w.checkMade(op); err != nil {
		return err
	}
	return w.main.add(op, e, field, content)
}

func (w *SummaryWriter) checkMade(op string) error {
	if w == nil || w.main == nil {
		return torch.NewError(op, torch.ErrNil, "receiver", "the SummaryWriter was not made by NewSummaryWriter")
	}
	return nil
}

// LogDir returns the directory of the writer, or "" for a writer that was not made by
// NewSummaryWriter; get_logdir in Python.
func (w *SummaryWriter) LogDir() string {
	if w == nil {
		return ""
	}
	return w.folder
}

// Flush writes all events to their files; flush in Python. It returns the first error,
// including the error of an earlier background write. After Close it returns ErrClosed.
func (w *SummaryWriter) Flush() error {
	if err := w.checkMade("tensorboard.SummaryWriter.Flush"); err != nil {
		return err
	}
	var errs []error
	for _, f := range w.files() {
		errs = append(errs, f.sync("tensorboard.SummaryWriter.Flush"))
	}
	return errors.Join(errs...)
}

// Close writes all events and closes the files; close in Python. Closing again, or
// closing nil, does nothing. Adding to a closed writer returns ErrClosed; Python creates
// a new file.
func (w *SummaryWriter) Close() error {
	if w == nil || w.main == nil {
		return nil
	}
	w.mu.Lock()
	w.closed = true // before the files are listed, so that no goroutine adds one
	w.mu.Unlock()
	var errs []error
	for _, f := range w.files() {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}

// files returns the files of the writer, the main one first.
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

// below returns the path of a subdirectory of the writer's directory. For a name that
// leads out of that directory, it returns ErrValue.
func (w *SummaryWriter) below(op, argument, name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", torch.NewError(op, torch.ErrValue, argument,
			fmt.Sprintf("%q leads out of the writer's folder", name))
	}
	return filepath.Join(w.folder, name), nil
}

// AddScalar adds a point to a curve; add_scalar in Python. tag is the curve's name; a
// slash in it groups curves. The value is stored in 32 bits, unless [NewStyle] and
// [DoublePrecision] are given.
func (w *SummaryWriter) AddScalar(tag string, value float64, step int, opts ...ScalarOption) error {
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
		return torch.NewError(op, torch.ErrValue, "DoublePrecision",
			"an old-style scalar has 32 bits; set NewStyle(true) too")
	}
	if newStyle {
		return w.add(op, e, eventSummary, tensorScalar(tag, value, double))
	}
	return w.add(op, e, eventSummary, scalar(tag, value))
}

// AddScalars adds a point to each of several curves, given by name, that TensorBoard
// draws in one plot; add_scalars in Python. Each curve is a run of its own, with a
// subdirectory and a file. For many curves, AddScalar with a slash in the tag needs fewer
// files. For a name that leads out of the writer's directory, AddScalars returns
// ErrValue.
func (w *SummaryWriter) AddScalars(mainTag string, values map[string]float64, step int, opts ...EventOption) error {
	const op = "tensorboard.SummaryWriter.AddScalars"
	e := readEvent(op, step, opts)
	if err := w.checkMade(op); err != nil {
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

// AddText adds Markdown text; add_text in Python. "/text_summary" is appended to the tag,
// as in Python.
func (w *SummaryWriter) AddText(tag, text string, step int, opts ...EventOption) error {
	const op = "tensorboard.SummaryWriter.AddText"
	return w.add(op, readEvent(op, step, opts), eventSummary, textOf(tag, text))
}
