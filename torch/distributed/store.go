package distributed

import (
	"errors"
	"strings"
	"sync"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// Store is a key-value store that Go and Python processes can share. It wraps a store of c10d.
// Values are bytes. Several goroutines may use a Store, but its calls run one at a time: use a
// [Store.Clone] for a long wait. Methods of a closed store fail with ErrClosed.
type Store struct {
	mu  sync.RWMutex // held for reading while raw is in use
	raw native.Store

	timeout      time.Duration
	port         int
	wakesWaiters bool   // the server wakes waiting clients; other stores poll
	tcp          bool   // the server closes the connection on invalid input
	prefix       string // the prefix of all keys of this store in the underlying store
}

// Clone returns a new connection to the same store, which must be closed separately.
func (s *Store) Clone() (*Store, error) {
	const op = "distributed.Store.Clone"
	var c *Store
	err := s.withHandle(op, func(raw native.Store) error {
		other, st := raw.Clone()
		if err := storeError(op, st); err != nil {
			return err
		}
		c = &Store{
			raw: other, timeout: s.timeout, port: s.port, wakesWaiters: s.wakesWaiters,
			tcp: s.tcp, prefix: s.prefix,
		}
		return nil
	})
	return c, err
}

// Close closes the connection. If this store runs the server, Close stops the server.
// Close waits for pending calls.
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
	s.mustExist("distributed.Store.Port")
	return s.port
}

// Timeout returns how long Get and Wait wait if the context has no deadline.
func (s *Store) Timeout() time.Duration {
	s.mustExist("distributed.Store.Timeout")
	return s.timeout
}

// mustExist panics with ErrNil for a nil store, in methods without an error result.
func (s *Store) mustExist(op string) {
	if s == nil {
		panic(argumentError(op, torch.ErrNil, "receiver", "is nil"))
	}
}

// withHandle calls fn with the handle of an open store.
func (s *Store) withHandle(op string, fn func(raw native.Store) error) error {
	if s == nil {
		return argumentError(op, torch.ErrNil, "s", "is nil")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.raw == 0 {
		return &Error{Op: op, Kind: ErrClosed, Rank: -1, Detail: "the store was closed"}
	}
	return fn(s.raw)
}

// withKeys is withHandle for calls with keys. It checks the keys: libtorch would truncate
// them at the first zero byte.
func (s *Store) withKeys(op, arg string, keys []string, fn func(raw native.Store) error) error {
	if err := firstError(checkNoZero(op, arg, keys...), s.checkKeys(op, arg, keys)); err != nil {
		return err
	}
	return s.withHandle(op, fn)
}

// checkNoZero returns an error for a text that contains a zero byte, where libtorch would
// truncate it.
func checkNoZero(op, arg string, texts ...string) error {
	for _, t := range texts {
		if strings.ContainsRune(t, 0) {
			return argumentError(op, torch.ErrValue, arg, "%.80q has a zero byte", t)
		}
	}
	return nil
}

// storeError is statusError for a store. A lost connection causes ErrStore, because a
// store's only peer is its server.
func storeError(op string, st native.Status) error {
	e := nativeError(op, st)
	if e == nil {
		return nil
	}
	if errors.Is(e.Kind, ErrPeer) || errors.Is(e.Kind, ErrNetwork) {
		e.Kind = ErrStore
	}
	return e
}
