package distributed

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// NewTCPStore returns a store whose server listens on an address, "host:port". The
// process with [IsMaster] runs the server while its store is open. The other processes
// connect to it, and wait until it runs. With port 0 the server uses a free port; see
// [Store.Port].
//
// Unlike Python's, the server listens only on the host's IP address. It listens on all
// interfaces if the host is 0.0.0.0, or a name that has no address of this machine, or
// only loopback addresses such as Debian's 127.0.1.1. For localhost it does so only in
// Kubernetes. Anyone who can reach the address can read and write the store: use a
// private network.
//
// It fails with ErrInUse for an address in use, with ErrEnvironment for an address that
// this machine does not have, and with ErrTimeout if the server, or with [WorldSize] the
// clients, do not connect in time.
//
// A key may have at most 8191 bytes, including the prefixes of prefix stores, and a value
// at most 8 MiB per call. Longer ones fail with torch.ErrValue before they are sent,
// because the server would close the connection. Follows TCPStore.
func NewTCPStore(ctx context.Context, address string, opts ...StoreOption) (*Store, error) {
	const op = "distributed.NewTCPStore"
	o, timeout, err := readStoreOptions(op, opts)
	if err != nil {
		return nil, err
	}
	if err := checkNoZero(op, "address", address); err != nil {
		return nil, err
	}
	if o.Host, o.Port, err = hostPort(op, address, o.Server); err != nil {
		return nil, err
	}
	left, err := timeLimit(ctx, op, timeout)
	if err != nil {
		return nil, err
	}
	if o.Server {
		if o.Listener, o.Port, err = listen(ctx, op, o.Host, strconv.Itoa(o.Port)); err != nil {
			return nil, err
		}
	}
	o.Timeout = left.Milliseconds()
	s := &Store{timeout: timeout, wakesWaiters: true, tcp: true}
	err = abandonableFor(ctx, left, op, func() error {
		var st native.Status
		s.raw, s.port, st = native.NewTCPStore(o)
		return storeError(op, st)
	}, func() { s.raw.Free() })
	if err != nil {
		return nil, err
	}
	return s, nil
}

func readStoreOptions(op string, opts []StoreOption) (o native.TCP, timeout time.Duration, err error) {
	o = native.TCP{Workers: -1, WaitWorkers: true, Listener: -1}
	timeout = DefaultStoreTimeout
	for _, opt := range opts {
		switch v := opt.(type) {
		case IsMaster:
			o.Server = bool(v)
		case WorldSize:
			if v < 1 || v > mostRanks {
				return o, 0, argumentError(op, torch.ErrValue, "WorldSize", "expected 1 to %d, got %d", mostRanks,
					int(v))
			}
			o.Workers = int(v)
		case WaitForWorkers:
			o.WaitWorkers = bool(v)
		case Timeout:
			if err := v.check(op); err != nil {
				return o, 0, err
			}
			timeout = time.Duration(v)
		default:
			return o, 0, torch.BadOption(op, v)
		}
	}
	return o, timeout, nil
}

// NewFileStore returns a store in a file that all processes can access. It creates the
// file if needed, with permissions only for its owner. Anyone who can write to the file
// can change the store, and anyone who can read it can lock it, so the directory should
// be private. world is the number of processes, or 0 if unknown: the last of them to
// close the store removes the file. It fails with ErrStore for an existing file that
// is not a store. Follows FileStore.
func NewFileStore(path string, world int) (*Store, error) {
	const op = "distributed.NewFileStore"
	switch {
	case path == "":
		return nil, argumentError(op, torch.ErrValue, "path", "is empty")
	case world < 0 || world > mostRanks:
		return nil, argumentError(op, torch.ErrValue, "world", "expected 0 to %d, got %d", mostRanks, world)
	}
	if err := checkNoZero(op, "path", path); err != nil {
		return nil, err
	}
	// Check the directory here, because libtorch would retry for five minutes.
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, &Error{Op: op, Kind: ErrEnvironment, Rank: -1, Detail: err.Error(), Err: err}
	} else if !info.IsDir() {
		return nil, argumentError(op, torch.ErrValue, "path", "%s is not a folder", filepath.Dir(path))
	}
	makePrivate(path)
	if err := checkStoreFile(op, path); err != nil {
		return nil, err
	}
	raw, st := native.NewFileStore(path, world)
	return newStore(op, raw, st)
}

// NewHashStore returns a store in the memory of this process, for groups of goroutines
// and for tests. Follows HashStore.
func NewHashStore() (*Store, error) {
	raw, st := native.NewHashStore()
	s, err := newStore("distributed.NewHashStore", raw, st)
	if s != nil {
		s.wakesWaiters = true
	}
	return s, err
}

// NewPrefixStore returns a store that adds a prefix and a slash to each key of another store. The
// other store may be closed. Follows PrefixStore.
func NewPrefixStore(prefix string, s *Store) (*Store, error) {
	const op = "distributed.NewPrefixStore"
	if s == nil {
		return nil, argumentError(op, torch.ErrNil, "s", "is nil")
	}
	var p *Store
	err := s.withKeys(op, "prefix", []string{prefix}, func(raw native.Store) error {
		made, st := native.NewPrefixStore(prefix, raw)
		if err := storeError(op, st); err != nil {
			return err
		}
		p = &Store{
			raw: made, timeout: s.timeout, port: s.port, wakesWaiters: s.wakesWaiters, tcp: s.tcp,
			prefix: s.prefix + prefix + "/",
		}
		return nil
	})
	return p, err
}

func newStore(op string, raw native.Store, st native.Status) (*Store, error) {
	if err := storeError(op, st); err != nil {
		return nil, err
	}
	return &Store{raw: raw, timeout: DefaultStoreTimeout}, nil
}
