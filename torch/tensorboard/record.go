package tensorboard

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gotorch/gotorch/internal/wire"
	"github.com/gotorch/gotorch/torch"
)

// These are the file version and the program name in the first record of an event file.
const (
	fileVersion = "brain.Event:2"
	writerName  = "github.com/gotorch/gotorch/torch/tensorboard"
)

// These are field numbers of the protocol buffer Event.
const (
	eventWallTime = 1
	eventStep     = 2
	eventVersion  = 3
	eventSummary  = 5
	eventSession  = 7
	eventSource   = 10
)

// masked returns the checksum of a record. The checksum is masked because records may
// contain checksums themselves.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// appendRecord appends data framed as a TFRecord: its length and data, each with a
// checksum.
func appendRecord(b, data []byte) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, masked(b[at:]))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, masked(data))
}

// seconds returns the seconds since 1970, rounded as in Python.
func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// append appends an event with one field besides its time and step.
func (e event) append(b []byte, field int, content []byte) []byte {
	if e.now {
		e.wall = seconds(time.Now())
	}
	var m []byte
	m = wire.AppendDouble(m, eventWallTime, e.wall)
	if e.step != 0 {
		m = wire.AppendInt(m, eventStep, int64(e.step))
	}
	m = wire.AppendBytes(m, field, content)
	return appendRecord(b, m)
}

// disk has the methods of os.File that an event file uses.
type disk interface {
	io.WriteCloser
	Truncate(size int64) error
}

// file is an event file. It is safe for use by several goroutines.
type file struct {
	name  string
	queue int           // the number of events to buffer; 0 for no limit
	wait  time.Duration // the longest time to buffer an event

	mu      sync.Mutex
	disk    disk // nil once closed
	size    int64
	pending []byte // the buffered events, as whole records
	events  int    // the number of events in pending
	timer   *time.Timer
	late    error // the error of a write by the timer, until a call returns it
}

// newFile creates an event file in a directory, which it creates if needed, and writes
// its first record.
func newFile(folder string, s settings) (*file, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost" // the file name needs some host name
	}
	f := &file{queue: s.queue, wait: time.Duration(min(s.flush, 1e9) * 1e9)}
	// Python numbers the writers of a process. Here number skips existing names, so that
	// no two writers, of any process, write to the same file.
	for number := 0; ; number++ {
		f.name = filepath.Join(folder,
			fmt.Sprintf("events.out.tfevents.%010d.%s.%d.%d%s", time.Now().Unix(), host, os.Getpid(), number, s.suffix))
		disk, err := os.OpenFile(f.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o666)
		if err == nil {
			f.disk = disk
			break
		}
		if !os.IsExist(err) {
			return nil, fmt.Errorf("tensorboard: %w", err)
		}
	}
	m := wire.AppendDouble(nil, eventWallTime, seconds(time.Now()))
	m = wire.AppendString(m, eventVersion, fileVersion)
	m = wire.AppendBytes(m, eventSource, wire.AppendString(nil, 1, writerName))
	f.pending, f.events = appendRecord(nil, m), 1
	if err := f.flush(); err != nil {
		_ = f.disk.Close()
		return nil, err
	}
	return f, nil
}

// add appends an event, and flushes if the buffer is full.
func (f *file) add(op string, e event, field int, content []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.disk == nil {
		return closed(op)
	}
	if err := f.late; err != nil {
		f.late = nil
		return err
	}
	f.pending = e.append(f.pending, field, content)
	f.events++
	if f.wait == 0 || f.queue > 0 && f.events >= f.queue {
		return f.flush()
	}
	if f.events == 1 {
		f.timer = time.AfterFunc(f.wait, f.flushLate)
	}
	return nil
}

func closed(op string) error {
	return torch.NewError(op, torch.ErrClosed, "w", "the writer is closed; events after Close need a new writer")
}

func (f *file) flushLate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.disk != nil && f.late == nil {
		f.late = f.flush()
	}
}

// flush writes the buffered events. If that fails they are lost, and any part of them is
// removed from the file: a torn record would hide all later ones.
func (f *file) flush() error {
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	if f.events == 0 {
		return nil
	}
	n, err := f.disk.Write(f.pending)
	events := f.events
	f.pending, f.events = f.pending[:0], 0
	if err == nil {
		f.size += int64(n)
		return nil
	}
	err = fmt.Errorf("tensorboard: %d events are lost: %w", events, err)
	if n > 0 {
		if e := f.disk.Truncate(f.size); e != nil {
			err = fmt.Errorf("%w; and the file has a torn record: %w", err, e)
		}
	}
	return err
}

// sync writes the buffered events and syncs the file.
func (f *file) sync(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.disk == nil {
		return closed(op)
	}
	err := f.flush()
	if err == nil {
		err = f.late
	}
	f.late = nil
	return err
}

// close writes the buffered events and closes the file, once.
func (f *file) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.disk == nil {
		return nil
	}
	err := f.flush()
	if err == nil {
		err = f.late
	}
	if e := f.disk.Close(); err == nil && e != nil {
		err = fmt.Errorf("tensorboard: %w", e)
	}
	f.disk, f.pending = nil, nil
	return err
}

// folderOf returns the default directory of a writer.
func folderOf(comment string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return filepath.Join("runs", time.Now().Format("Jan02_15-04-05")+"_"+host+comment)
}
