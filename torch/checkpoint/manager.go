package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Manager writes the checkpoints of a folder and takes old ones away. [Open] makes one.
// Its methods may be called from any goroutine; a save reads what it saves, so it is to be
// called between steps.
type Manager struct {
	dir string
	settings
	lock *os.File
	turn chan struct{} // has one element while somebody saves, writes or closes

	mu      sync.Mutex
	next    int64           // number of the next file
	bad     map[string]bool // files that were found damaged
	failure error           // of the last write in the background, until somebody was told
	closed  bool
	host    host

	writing func() // a test's; before a file is written
}

// Open returns a Manager for a folder, which it makes if it is not there. It takes away
// what a process left there that was killed while it wrote. One Manager at a time may have
// a folder, in all processes of the machine: the error is a [*FileError], of kind
// [ErrLocked] if there is another one and [ErrReadOnly] if nothing can be written there.
// [List], [Load] and [Resume] need no Manager. Open panics with an *torch.Error of kind
// ErrValue or ErrNil for an option that is wrong.
func Open(dir string, opts ...Option) (*Manager, error) {
	m := &Manager{dir: dir, settings: readOptions("checkpoint.Open", opts), turn: make(chan struct{}, 1), bad: map[string]bool{}}
	if err := wholefile.MakeFolder(dir); err != nil {
		return nil, writing(dir, err)
	}
	var err error
	if m.lock, err = lock(dir); err != nil {
		return nil, err
	}
	if err := m.clean(); err != nil {
		_ = m.lock.Close()
		return nil, err
	}
	return m, nil
}

// clean takes away files that were not finished, and finds the next number.
func (m *Manager) clean() error {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return writing(m.dir, err)
	}
	for _, e := range entries {
		path := filepath.Join(m.dir, e.Name())
		if name := wholefile.Temporary.ReplaceAllString(e.Name(), ""); name != e.Name() && fileNumber(name) > 0 {
			if err := os.Remove(path); err != nil {
				return writing(path, err)
			}
		}
		m.next = max(m.next, fileNumber(path))
	}
	m.next++
	return nil
}

// fileNumber is that of a checkpoint's name, 0 for other names.
func fileNumber(path string) int64 {
	parts := fileName.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return 0
	}
	n, _ := strconv.ParseInt(parts[1], 10, 64) // 18 digits are none too many
	return n
}

// made is an error if Open has not made m.
func (m *Manager) made(op string) error {
	if m == nil || m.turn == nil {
		return torch.NewError(op, torch.ErrNil, "receiver", "a Manager that Open has not made")
	}
	return nil
}

// take waits until nobody else saves or writes.
func (m *Manager) take(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case m.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Manager) release() { <-m.turn }

// told returns what went wrong in the background, once.
func (m *Manager) told() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.failure
	m.failure = nil
	return err
}

// Save writes a checkpoint: the parts of the state, the default random generators, the
// step and the options' metrics. Then it takes away what [Keep] and [KeepBest] do not
// keep. The tensors may not be written to until it returns, and with [Async] only until
// then: it returns when it has a copy.
//
// If another checkpoint is still being written, Save waits for that first, until ctx is
// done; ctx is for this wait alone. (So a program that was interrupted saves at its end
// with context.Background().) An error of that write is part of the result: a result that
// is not nil says that some checkpoint is not there, and [FileError] which. Those before it
// are, and the next one is tried anew.
//
// The error is a [*FileError], of kind [ErrNoSpace] for a disk that is full and
// [ErrReadOnly] for a folder that may not be written to; an *torch.Error for a state
// that cannot be saved, with the name of the part; or ctx's. If rotation alone failed, the
// checkpoint is there. Save panics with an *torch.Error for an option that is wrong.
func (m *Manager) Save(ctx context.Context, step int64, state State, opts ...SaveOption) error {
	const op = "checkpoint.Manager.Save"
	metrics := readSaving(op, opts)
	if err := m.made(op); err != nil {
		return err
	}
	if ctx == nil {
		return torch.NewError(op, torch.ErrNil, "ctx", "a nil context")
	}
	if step < 0 {
		return torch.NewError(op, torch.ErrValue, "step", fmt.Sprintf("expected 0 or more, got %d", step))
	}
	parts, err := state.parts(op, reserved...)
	if err != nil {
		return err
	}
	line, err := headerOf(op, step, metrics)
	if err != nil {
		return err
	}
	if err := m.take(ctx); err != nil {
		return err
	}
	if m.closed {
		m.release()
		return torch.NewError(op, torch.ErrClosed, "receiver", "the Manager is closed")
	}
	earlier := m.told()
	background := false
	defer func() {
		if !background {
			m.release()
		}
	}()
	var a *serialization.Archive
	torch.Scope(func() {
		if a, err = m.prepare(op, parts, step, metrics); err == nil && !m.async {
			err = m.write(a, step, line)
		}
	})
	if err != nil || !m.async {
		return errors.Join(earlier, err)
	}
	background = true
	go func() {
		defer m.release()
		if err := m.write(a, step, line); err != nil {
			m.mu.Lock()
			m.failure = err
			m.mu.Unlock()
		}
	}()
	return earlier
}

// prepare makes what is to be written. All that has to do with operators is done here, on
// the goroutine of the training: one beside it would take threads from it, and so change
// the last bits of what it computes.
func (m *Manager) prepare(op string, parts []namedPart, step int64, metrics Metrics) (a *serialization.Archive, err error) {
	tried := torch.Try(func() {
		var d *serialization.Dict
		if d, err = tree(op, parts, step, metrics); err == nil {
			a, err = serialization.NewArchive(m.host.snapshot(d, m.async))
		}
	})
	if tried != nil {
		return nil, tried
	}
	return a, err
}

// write writes a file and takes old ones away.
func (m *Manager) write(a *serialization.Archive, step int64, line []byte) error {
	defer func() { _ = a.Close() }()
	if m.writing != nil {
		m.writing()
	}
	path := filepath.Join(m.dir, nameOf(m.next, step))
	if m.next > lastNumber { // nobody would find it
		return fault(path, ErrFormat, "the folder has a checkpoint of the last number that there is, %d", int64(lastNumber))
	}
	err := wholefile.WriteDurable(path, func(w io.Writer) error {
		s := &sealer{w: w}
		if _, err := a.WriteTo(s); err != nil {
			return err
		}
		return s.seal(line)
	})
	m.next++ // also if it failed: its name may be there
	if err != nil {
		return writing(path, err)
	}
	return m.rotate()
}

// rotate takes away the checkpoints that are not to be kept: of those that are not known
// to be damaged all but the newest and the best. What is damaged stays for somebody to
// look at until it is older than those.
func (m *Manager) rotate() error {
	if m.keep == 0 {
		return nil
	}
	all, err := List(m.dir)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	best := m.best.best(all, m.bad)
	left := m.keep
	for i := len(all) - 1; i >= 0; i-- {
		info := all[i]
		unread := info.system() != nil
		if good := info.Err == nil && !m.bad[info.Path]; good && left > 0 {
			left--
			continue
		}
		if left > 0 || i == best || unread {
			continue
		}
		if e := os.Remove(info.Path); e != nil && !os.IsNotExist(e) {
			err = errors.Join(err, writing(info.Path, e))
		}
		delete(m.bad, info.Path)
	}
	return err
}

// Wait waits until no checkpoint is being written, or ctx is done, and returns the error
// of the last write, if nobody was told of it, or ctx's.
func (m *Manager) Wait(ctx context.Context) error {
	const op = "checkpoint.Manager.Wait"
	if err := m.made(op); err != nil {
		return err
	}
	if ctx == nil {
		return torch.NewError(op, torch.ErrNil, "ctx", "a nil context")
	}
	if err := m.take(ctx); err != nil {
		return err
	}
	defer m.release()
	return m.told()
}

// Resume is [Resume] for the Manager's folder. It waits for a write that is under way. The
// Manager remembers which checkpoints are damaged and does not count them as kept.
func (m *Manager) Resume(state State, opts ...LoadOption) (*Restored, error) {
	const op = "checkpoint.Manager.Resume"
	if err := m.made(op); err != nil {
		return nil, err
	}
	if err := m.take(context.Background()); err != nil {
		return nil, err
	}
	defer m.release()
	r, skipped, err := resume(op, m.dir, state, opts)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range skipped { // also if none is good
		if fe := (*FileError)(nil); errors.As(e, &fe) {
			m.bad[fe.Path] = true
		}
	}
	return r, err
}

// Best returns the best checkpoint that is there, by what [KeepBest] says, for [Load]. The
// error is fs.ErrNotExist if none has the metric, and ErrValue without KeepBest.
func (m *Manager) Best() (Info, error) {
	const op = "checkpoint.Manager.Best"
	if err := m.made(op); err != nil {
		return Info{}, err
	}
	if m.best.metric == "" {
		return Info{}, torch.NewError(op, torch.ErrValue, "receiver", "a Manager without KeepBest")
	}
	all, err := List(m.dir)
	if err != nil {
		return Info{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.best.best(all, m.bad); i >= 0 {
		return all[i], nil
	}
	e := fault(m.dir, nil, "no checkpoint with metric %q", m.best.metric)
	e.Err = os.ErrNotExist
	return Info{}, e
}

// Close waits for a write that is under way, returns its error if nobody was told of it,
// frees the copies in host memory, and gives the folder to others. It may be called more
// than once, and on nil.
func (m *Manager) Close() error {
	if m == nil || m.turn == nil {
		return nil
	}
	m.turn <- struct{}{}
	defer m.release()
	if m.closed {
		return nil
	}
	m.closed = true
	m.host.close()
	return errors.Join(m.told(), writing(m.lock.Name(), m.lock.Close()))
}
