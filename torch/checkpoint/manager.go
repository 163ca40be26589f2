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

// Manager writes checkpoints to a directory and removes old ones. [Open] makes a Manager.
// Its methods may be called from any goroutine. Call Save between training steps, because
// it reads the state.
type Manager struct {
	dir string
	settings
	lock *os.File
	busy chan struct{} // full (one element) while a goroutine saves, writes or closes

	mu         sync.Mutex
	nextNumber int64           // number of the next file
	damaged    map[string]bool // files known to be damaged
	failure    error           // the error of the last background write, until a call returns it
	closed     bool
	host       hostCopies

	beforeWrite func() // for tests: called before a file is written
}

// Open returns a Manager for a directory, which it creates if needed. It removes
// temporary files that a killed process left. Only one Manager on the machine may use a
// directory at a time. The error is a [*torch.FileError], of kind [ErrLocked] if another
// Manager uses the directory, [ErrReadOnly] if it is not writable, and [torch.ErrFormat]
// if its lock file is not a regular file. [List], [Load] and [Resume] need no Manager.
// Open panics with a *torch.Error of kind ErrValue or ErrNil for an invalid option.
func Open(dir string, opts ...Option) (*Manager, error) {
	m := &Manager{
		dir: dir, settings: readOptions("checkpoint.Open", opts), busy: make(chan struct{}, 1),
		damaged: map[string]bool{},
	}
	if err := wholefile.MakeFolder(dir); err != nil {
		return nil, writeError(dir, err)
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

// clean removes temporary files that were left, and finds the number for the next
// checkpoint.
func (m *Manager) clean() error {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return writeError(m.dir, err)
	}
	for _, e := range entries {
		path := filepath.Join(m.dir, e.Name())
		if name := wholefile.Temporary.ReplaceAllString(e.Name(), ""); name != e.Name() && fileNumber(name) > 0 {
			if err := os.Remove(path); err != nil {
				return writeError(path, err)
			}
		}
		m.nextNumber = max(m.nextNumber, fileNumber(path))
	}
	m.nextNumber++
	return nil
}

// fileNumber returns the number in a checkpoint's file name, or 0 for any other file name.
func fileNumber(path string) int64 {
	parts := fileName.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return 0
	}
	n, _ := strconv.ParseInt(parts[1], 10, 64) // cannot fail, because 18 digits always fit in an int64
	return n
}

// checkMade returns an error if m was not made by Open.
func (m *Manager) checkMade(op string) error {
	if m == nil || m.busy == nil {
		return torch.NewError(op, torch.ErrNil, "receiver", "the Manager was not made by Open")
	}
	return nil
}

// acquire waits until no other goroutine saves or writes.
func (m *Manager) acquire(ctx context.Context) error {
	select {
	case m.busy <- struct{}{}:
		return nil
	default:
	}
	select {
	case m.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Manager) release() { <-m.busy }

// takeFailure returns the error of the last background write, and clears it.
func (m *Manager) takeFailure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.failure
	m.failure = nil
	return err
}

// Save writes a checkpoint: the parts of the state, the default random generators, the
// step and the metrics. Then it removes the checkpoints that [Keep] and [KeepBest] do not
// keep. Do not write to the tensors until Save returns; with [Async] it returns as soon
// as it has a copy.
//
// If another checkpoint is still being written, Save first waits for it, until ctx is
// done; ctx applies only to this wait. An interrupted program can therefore save at its
// end with context.Background(). If that other write failed, its error is part of the
// result: a non-nil result means that some checkpoint was not written, and its
// [torch.FileError] says which. Earlier checkpoints remain, and the new one is attempted
// anyway.
//
// The error is a [*torch.FileError], of kind [ErrNoSpace] for a full disk and
// [ErrReadOnly] for a directory that is not writable; a *torch.Error that names the part
// for a state that cannot be saved; or ctx's error. If only rotation failed, the
// checkpoint exists. Save panics with a *torch.Error for an invalid option.
func (m *Manager) Save(ctx context.Context, step int, state State, opts ...SaveOption) error {
	const op = "checkpoint.Manager.Save"
	metrics := readSaving(op, opts)
	if err := m.checkMade(op); err != nil {
		return err
	}
	if ctx == nil {
		return torch.NewError(op, torch.ErrNil, "ctx", "a nil context")
	}
	if step < 0 {
		return torch.NewError(op, torch.ErrValue, "step", fmt.Sprintf("expected 0 or more, got %d", step))
	}
	parts, err := state.parts(op, reservedNames...)
	if err != nil {
		return err
	}
	line, err := headerOf(op, step, metrics)
	if err != nil {
		return err
	}
	if err := m.acquire(ctx); err != nil {
		return err
	}
	if m.closed {
		m.release()
		return torch.NewError(op, torch.ErrClosed, "receiver", "the Manager is closed")
	}
	earlier := m.takeFailure()
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

// prepare makes the archive to write. It runs on the goroutine that called Save, which is
// usually the one that trains. If it ran on a different goroutine, its operators would
// take threads from the training, which could change the last bits of the training's
// results.
func (m *Manager) prepare(op string, parts []namedPart, step int,
	metrics Metrics,
) (a *serialization.Archive, err error) {
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

// write writes the archive to a file and then removes old checkpoints.
func (m *Manager) write(a *serialization.Archive, step int, line []byte) error {
	defer func() { _ = a.Close() }()
	if m.beforeWrite != nil {
		m.beforeWrite()
	}
	path := filepath.Join(m.dir, nameOf(m.nextNumber, step))
	if m.nextNumber > lastNumber { // List does not recognize names with larger numbers
		return fileError(path, torch.ErrFormat, "the folder has a checkpoint with the largest possible number, %d",
			int64(lastNumber))
	}
	err := wholefile.WriteDurable(path, func(w io.Writer) error {
		s := &sealer{w: w}
		if _, err := a.WriteTo(s); err != nil {
			return err
		}
		return s.seal(line)
	})
	m.nextNumber++ // also after a failure, because a file with this number may exist
	if err != nil {
		return writeError(path, err)
	}
	return m.rotate()
}

// rotate removes old checkpoints. It keeps the newest and the best of the checkpoints that are not
// known to be damaged. A damaged file stays, for inspection, until there are enough newer good
// ones.
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
	best := m.best.indexIn(all, m.damaged)
	left := m.keep
	for i := len(all) - 1; i >= 0; i-- {
		info := all[i]
		unread := info.systemError() != nil
		if good := info.Err == nil && !m.damaged[info.Path]; good && left > 0 {
			left--
			continue
		}
		if left > 0 || i == best || unread {
			continue
		}
		if e := os.Remove(info.Path); e != nil && !os.IsNotExist(e) {
			err = errors.Join(err, writeError(info.Path, e))
		}
		delete(m.damaged, info.Path)
	}
	return err
}

// Wait waits until no checkpoint is being written, or ctx is done. It returns ctx's
// error, or the error of the last write if no call has returned that error yet.
func (m *Manager) Wait(ctx context.Context) error {
	const op = "checkpoint.Manager.Wait"
	if err := m.checkMade(op); err != nil {
		return err
	}
	if ctx == nil {
		return torch.NewError(op, torch.ErrNil, "ctx", "a nil context")
	}
	if err := m.acquire(ctx); err != nil {
		return err
	}
	defer m.release()
	return m.takeFailure()
}

// Resume is [Resume] for the Manager's directory. It waits for a write in progress. The
// Manager remembers which checkpoints are damaged and does not count them for [Keep].
func (m *Manager) Resume(state State, opts ...LoadOption) (*Restored, error) {
	const op = "checkpoint.Manager.Resume"
	if err := m.checkMade(op); err != nil {
		return nil, err
	}
	if err := m.acquire(context.Background()); err != nil {
		return nil, err
	}
	defer m.release()
	r, skipped, err := resume(op, m.dir, state, opts)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range skipped { // also when Resume found no good checkpoint
		if fe := (*torch.FileError)(nil); errors.As(e, &fe) {
			m.damaged[fe.Path] = true
		}
	}
	return r, err
}

// Best returns the best checkpoint according to [KeepBest]. Pass its Path to [Load]. The
// error is fs.ErrNotExist if no checkpoint has the metric, and ErrValue without KeepBest.
func (m *Manager) Best() (Info, error) {
	const op = "checkpoint.Manager.Best"
	if err := m.checkMade(op); err != nil {
		return Info{}, err
	}
	if m.best.metric == "" {
		return Info{}, torch.NewError(op, torch.ErrValue, "receiver", "the Manager was opened without KeepBest")
	}
	all, err := List(m.dir)
	if err != nil {
		return Info{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.best.indexIn(all, m.damaged); i >= 0 {
		return all[i], nil
	}
	e := fileError(m.dir, nil, "there is no checkpoint with metric %q", m.best.metric)
	e.Err = os.ErrNotExist
	return Info{}, e
}

// Close waits for a write in progress, frees the copies in host memory, and unlocks the
// directory. It returns the error of the last write if no call has returned it yet. Close
// may be called more than once, and on nil.
func (m *Manager) Close() error {
	if m == nil || m.busy == nil {
		return nil
	}
	m.busy <- struct{}{}
	defer m.release()
	if m.closed {
		return nil
	}
	m.closed = true
	m.host.close()
	return errors.Join(m.takeFailure(), writeError(m.lock.Name(), m.lock.Close()))
}
