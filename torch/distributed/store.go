package distributed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// Store is a key-value store shared by processes: c10d's stores, which Go and Python
// processes can share. Values are bytes. A Store is safe for use by several goroutines,
// but its calls are serialized: use a [Store.Clone] to wait long for a key. Methods fail
// with ErrClosed for a closed store.
type Store struct {
	mu  sync.RWMutex // held for reading while raw is in use
	raw native.Store

	timeout time.Duration
	port    int
	wakes   bool   // waiting is woken up; other stores poll
	tcp     bool   // the server closes connections on invalid input
	prefix  string // of all keys in the underlying store
}

// NewTCPStore returns a store whose server listens at an address, "host:port". The
// process with server true runs it as long as its store is open; the others connect, and
// wait until it is there. With port 0 the server takes a free one; see [Store.Port].
//
// Unlike Python's, the server listens only at the host's IP address; with 0.0.0.0 it
// listens on all interfaces. It also listens on all interfaces for a name that has no
// address of this machine except loopback ones, such as Debian's 127.0.1.1, but not for
// localhost outside of Kubernetes. Anyone who can reach the address can read and write
// the store: use a private network.
//
// It fails with ErrInUse for an address in use, with ErrEnvironment for one that is not
// this machine's, and with ErrTimeout if the server, or with [WorldSize] the clients, do
// not connect in time.
//
// Keys have at most 8191 bytes, including the prefixes of prefix stores, and values sent
// at once at most 8 MiB. Longer ones are refused with torch.ErrValue before they are
// sent, since the server would close the connection. Follows TCPStore.
func NewTCPStore(ctx context.Context, address string, server bool, opts ...StoreOption) (*Store, error) {
	const op = "distributed.NewTCPStore"
	o := native.TCP{Server: server, Workers: -1, WaitWorkers: true, Listener: -1}
	timeout := DefaultStoreTimeout
	for _, opt := range opts {
		switch v := opt.(type) {
		case WorldSize:
			if v < 1 || v > mostRanks {
				return nil, wrong(op, torch.ErrValue, "WorldSize", "expected 1 to %d, got %d", mostRanks, int(v))
			}
			o.Workers = int(v)
		case WaitForWorkers:
			o.WaitWorkers = bool(v)
		case Timeout:
			if err := v.check(op); err != nil {
				return nil, err
			}
			timeout = time.Duration(v)
		default:
			return nil, torch.BadOption(op, v)
		}
	}
	if err := whole(op, "address", address); err != nil {
		return nil, err
	}
	var err error
	if o.Host, o.Port, err = hostPort(op, address, server); err != nil {
		return nil, err
	}
	left, err := within(ctx, op, timeout)
	if err != nil {
		return nil, err
	}
	if server {
		if o.Listener, o.Port, err = listen(ctx, op, o.Host, strconv.Itoa(o.Port)); err != nil {
			return nil, err
		}
	}
	o.Timeout = left.Milliseconds()
	s := &Store{timeout: timeout, wakes: true, tcp: true}
	err = apartFor(ctx, left, op, func() *Error {
		var st native.Status
		s.raw, s.port, st = native.NewTCPStore(o)
		return storeFailure(op, st)
	}, func() { s.raw.Free() })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// NewFileStore returns a store in a file that all processes can access, which it creates
// if needed. Anyone who can write to the file can change the store, so the folder should
// be private. world is the number of processes, 0 if unknown: the last of them to close
// the store removes the file. It fails with ErrStore for an existing file that is not a
// store. Follows FileStore.
func NewFileStore(path string, world int) (*Store, error) {
	const op = "distributed.NewFileStore"
	switch {
	case path == "":
		return nil, wrong(op, torch.ErrValue, "path", "is empty")
	case world < 0 || world > mostRanks:
		return nil, wrong(op, torch.ErrValue, "world", "expected 0 to %d, got %d", mostRanks, world)
	}
	if err := whole(op, "path", path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil { // libtorch would retry for five minutes
		return nil, &Error{Op: op, Kind: ErrEnvironment, Rank: -1, Detail: err.Error(), Err: err}
	} else if !info.IsDir() {
		return nil, wrong(op, torch.ErrValue, "path", "%s is not a folder", filepath.Dir(path))
	}
	if err := storeFile(op, path); err != nil {
		return nil, err
	}
	raw, st := native.NewFileStore(path, world)
	return made(op, raw, st)
}

// NewHashStore returns a store in the memory of this process, for groups of goroutines
// and for tests. Follows HashStore.
func NewHashStore() (*Store, error) {
	raw, st := native.NewHashStore()
	s, err := made("distributed.NewHashStore", raw, st)
	if s != nil {
		s.wakes = true
	}
	return s, err
}

// NewPrefixStore returns a store that adds a prefix and a slash to each key of another
// one, which may be closed. Follows PrefixStore.
func NewPrefixStore(prefix string, s *Store) (*Store, error) {
	const op = "distributed.NewPrefixStore"
	if s == nil {
		return nil, wrong(op, torch.ErrNil, "s", "is nil")
	}
	var p *Store
	err := s.keyed(op, "prefix", []string{prefix}, func(raw native.Store) *Error {
		made, st := native.NewPrefixStore(prefix, raw)
		if err := storeFailure(op, st); err != nil {
			return err
		}
		p = &Store{
			raw: made, timeout: s.timeout, port: s.port, wakes: s.wakes, tcp: s.tcp,
			prefix: s.prefix + prefix + "/",
		}
		return nil
	})
	return p, err
}

func made(op string, raw native.Store, st native.Status) (*Store, error) {
	if err := storeFailure(op, st); err != nil {
		return nil, err
	}
	return &Store{raw: raw, timeout: DefaultStoreTimeout}, nil
}

// Clone returns another connection to the same store, which must be closed separately.
func (s *Store) Clone() (*Store, error) {
	const op = "distributed.Store.Clone"
	var c *Store
	err := s.use(op, func(raw native.Store) *Error {
		other, st := raw.Clone()
		if err := storeFailure(op, st); err != nil {
			return err
		}
		c = &Store{raw: other, timeout: s.timeout, port: s.port, wakes: s.wakes, tcp: s.tcp, prefix: s.prefix}
		return nil
	})
	return c, err
}

// Close closes the connection, and the server if this store has it. It waits for pending
// calls.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raw != 0 {
		s.raw.Free()
		s.raw = 0
	}
	return nil
}

// Port returns the port of a TCP store's server, 0 for other stores.
func (s *Store) Port() int {
	s.there("distributed.Store.Port")
	return s.port
}

// Timeout returns how long Get and Wait wait without a context's deadline.
func (s *Store) Timeout() time.Duration {
	s.there("distributed.Store.Timeout")
	return s.timeout
}

// there panics with ErrNil for a nil store, in methods without an error result.
func (s *Store) there(op string) {
	if s == nil {
		panic(wrong(op, torch.ErrNil, "receiver", "is nil"))
	}
}

// use calls fn with the handle of an open store.
func (s *Store) use(op string, fn func(raw native.Store) *Error) error {
	if s == nil {
		return wrong(op, torch.ErrNil, "s", "is nil")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.raw == 0 {
		return &Error{Op: op, Kind: ErrClosed, Rank: -1, Detail: "the store was closed"}
	}
	if err := fn(s.raw); err != nil {
		return err
	}
	return nil
}

// keyed is use with keys, which libtorch would cut at their first zero byte.
func (s *Store) keyed(op, arg string, keys []string, fn func(raw native.Store) *Error) error {
	if err := first(whole(op, arg, keys...), s.takesKeys(op, arg, keys)); err != nil {
		return err
	}
	return s.use(op, fn)
}

// whole returns an error for strings that would be cut.
func whole(op, arg string, texts ...string) error {
	for _, t := range texts {
		if strings.ContainsRune(t, 0) {
			return wrong(op, torch.ErrValue, arg, "%.80q has a zero byte", t)
		}
	}
	return nil
}

// Set sets a key to a value.
func (s *Store) Set(key string, value []byte) error {
	const op = "distributed.Store.Set"
	if err := s.takes(op, "value", value); err != nil {
		return err
	}
	return s.keyed(op, "key", []string{key}, func(raw native.Store) *Error {
		return storeFailure(op, raw.Set(key, value))
	})
}

// storeFailure is failure for a store, whose only peer is its server.
func storeFailure(op string, st native.Status) *Error {
	e := failure(op, st)
	if e != nil && (errors.Is(e.Kind, ErrPeer) || errors.Is(e.Kind, ErrNetwork)) {
		e.Kind = ErrStore
	}
	return e
}

// slice is the length of one wait of a cancellable call.
const slice = 200 * time.Millisecond

// Get returns the value of a key, and waits until it has one. It fails with ErrTimeout
// when the context's deadline, or without one the store's timeout, is over.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	const op = "distributed.Store.Get"
	var value []byte
	err := s.patiently(ctx, op, []string{key}, func(raw native.Store, wait time.Duration) native.Status {
		var st native.Status
		value, st = raw.Get(key, wait.Milliseconds())
		return st
	})
	return value, err
}

// Wait waits until all keys have values, as Get does for one.
func (s *Store) Wait(ctx context.Context, keys ...string) error {
	const op = "distributed.Store.Wait"
	return s.patiently(ctx, op, keys, func(raw native.Store, wait time.Duration) native.Status {
		return raw.Wait(keys, wait.Milliseconds())
	})
}

// patiently calls fn, which waits, until it no longer times out or the context or the
// timeout ends.
func (s *Store) patiently(ctx context.Context, op string, keys []string,
	fn func(raw native.Store, wait time.Duration) native.Status,
) error {
	if s == nil {
		return wrong(op, torch.ErrNil, "s", "is nil")
	}
	left, err := within(ctx, op, s.timeout)
	if err != nil {
		return err
	}
	end := time.Now().Add(left)
	for {
		wait := time.Until(end)
		if ctx.Done() != nil {
			wait = min(wait, slice)
		}
		err := s.keyed(op, "key", keys, func(raw native.Store) *Error {
			return storeFailure(op, fn(raw, max(wait, time.Millisecond)))
		})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(e.Kind, ErrTimeout) {
			return err
		}
		if ctx.Err() != nil {
			return given(op, ctx.Err())
		}
		if time.Now().After(end) {
			if _, own := ctx.Deadline(); own { // its timer is about to fire
				return given(op, context.DeadlineExceeded)
			}
			return e
		}
	}
}

// Add adds n to the counter of a key, which begins at 0, and returns the result. It fails
// with torch.ErrValue for a key whose value is not a number. Over TCP it checks the value
// first, since the server would close the connection; if another process sets an invalid
// value in between, the server still closes it.
func (s *Store) Add(key string, n int64) (int64, error) {
	const op = "distributed.Store.Add"
	if err := s.counts(op, key); err != nil {
		return 0, err
	}
	var sum int64
	err := s.keyed(op, "key", []string{key}, func(raw native.Store) *Error {
		var st native.Status
		sum, st = raw.Add(key, n)
		return storeFailure(op, st)
	})
	if notCounted(err) {
		err = wrong(op, torch.ErrValue, "key", "the value of %.80q is not a number", key)
	}
	return sum, err
}

// Append appends to the value of a key. File stores do not support it.
func (s *Store) Append(key string, value []byte) error {
	const op = "distributed.Store.Append"
	if err := s.takes(op, "value", value); err != nil {
		return err
	}
	return s.keyed(op, "key", []string{key}, func(raw native.Store) *Error {
		return storeFailure(op, raw.Append(key, value))
	})
}

// CompareSet sets a key to a value if its present value is want, nil for none, and
// returns the value afterwards.
func (s *Store) CompareSet(key string, want, value []byte) ([]byte, error) {
	return s.compareSet("distributed.Store.CompareSet", key, want, value)
}

func (s *Store) compareSet(op, key string, want, value []byte) ([]byte, error) {
	if err := first(s.takes(op, "want", want), s.takes(op, "value", value)); err != nil {
		return nil, err
	}
	var after []byte
	err := s.keyed(op, "key", []string{key}, func(raw native.Store) *Error {
		var st native.Status
		after, st = raw.CompareSet(key, want, value)
		return storeFailure(op, st)
	})
	return after, err
}

// DeleteKey deletes a key and reports whether it existed.
func (s *Store) DeleteKey(key string) (bool, error) {
	const op = "distributed.Store.DeleteKey"
	var was bool
	err := s.keyed(op, "key", []string{key}, func(raw native.Store) *Error {
		var st native.Status
		was, st = raw.Delete(key)
		return storeFailure(op, st)
	})
	return was, err
}

// Check reports whether all keys have values, without waiting.
func (s *Store) Check(keys ...string) (bool, error) {
	const op = "distributed.Store.Check"
	var all bool
	err := s.keyed(op, "keys", keys, func(raw native.Store) *Error {
		var st native.Status
		all, st = raw.Check(keys)
		return storeFailure(op, st)
	})
	return all, err
}

// NumKeys returns the number of keys, including some of the store's own.
func (s *Store) NumKeys() (int, error) {
	const op = "distributed.Store.NumKeys"
	var n int64
	err := s.use(op, func(raw native.Store) *Error {
		var st native.Status
		n, st = raw.NumKeys()
		return storeFailure(op, st)
	})
	return int(n), err
}

// ListKeys returns all keys, in no particular order.
func (s *Store) ListKeys() ([]string, error) {
	const op = "distributed.Store.ListKeys"
	var keys []string
	err := s.use(op, func(raw native.Store) *Error {
		var st native.Status
		keys, st = raw.List()
		return storeFailure(op, st)
	})
	if err != nil {
		return nil, err
	}
	return s.below(keys), nil
}

// QueuePush appends a value to a queue. File stores do not support queues.
func (s *Store) QueuePush(queue string, value []byte) error {
	const op = "distributed.Store.QueuePush"
	if err := s.takes(op, "value", value); err != nil {
		return err
	}
	return s.keyed(op, "queue", []string{queue}, func(raw native.Store) *Error {
		return storeFailure(op, raw.Push(queue, value))
	})
}

// QueuePop removes the first value of a queue; ok is false if it is empty.
func (s *Store) QueuePop(queue string) (value []byte, ok bool, err error) {
	const op = "distributed.Store.QueuePop"
	err = s.keyed(op, "queue", []string{queue}, func(raw native.Store) *Error {
		var st native.Status
		value, ok, st = raw.Pop(queue)
		return storeFailure(op, st)
	})
	return value, ok, err
}

// QueueLen returns the number of values in a queue.
func (s *Store) QueueLen(queue string) (int, error) {
	const op = "distributed.Store.QueueLen"
	var n int64
	err := s.keyed(op, "queue", []string{queue}, func(raw native.Store) *Error {
		var st native.Status
		n, st = raw.QueueLen(queue)
		return storeFailure(op, st)
	})
	return int(n), err
}
