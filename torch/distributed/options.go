package distributed

import (
	"time"

	"github.com/gotorch/gotorch/torch"
)

// DefaultTimeout is how long a collective waits for other ranks if neither [Timeout] nor a
// context's deadline is set: half an hour, as in Python for Gloo. DefaultStoreTimeout is how long a
// store waits for a key: five minutes, as in Python.
const (
	DefaultTimeout      = 30 * time.Minute
	DefaultStoreTimeout = 5 * time.Minute
)

// A GroupOption configures how a process joins a group: [Rank], [WorldSize],
// [InitMethod], [WithStore], [Timeout], [Interfaces] or [Check].
//
//gotorch:options Rank WorldSize InitMethod withStore Timeout Interfaces Check
type GroupOption interface{ groupOption() }

// A SubgroupOption configures [ProcessGroup.NewGroup]: [Timeout], [Interfaces] or
// [Check].
//
//gotorch:options Timeout Interfaces Check
type SubgroupOption interface{ subgroupOption() }

// A StoreOption configures [NewTCPStore]: [IsMaster], [WorldSize], [WaitForWorkers] or
// [Timeout].
//
//gotorch:options IsMaster WorldSize WaitForWorkers Timeout
type StoreOption interface{ storeOption() }

// Rank is the number of this process, from 0. By default it is read from the environment or the
// init method.
type Rank int

// WorldSize is the number of processes. By default it is read from the environment or the init
// method. A store without WorldSize does not wait for other processes.
type WorldSize int

// InitMethod is how the ranks find each other: "env://", the default, which reads RANK, WORLD_SIZE,
// MASTER_ADDR and MASTER_PORT; "tcp://host:port"; or "file:///shared/path". Append
// ?rank=0&world_size=4 unless the rank and the number of ranks are set by options. It cannot be
// combined with [WithStore].
type InitMethod string

// Timeout is how long a collective waits for other ranks, by default [DefaultTimeout]. A
// smaller group does not inherit its parent's timeout. For a store, Timeout is how long
// it waits for a key, by default [DefaultStoreTimeout].
type Timeout time.Duration

// Interfaces are the network interfaces that ranks use, separated by commas. The default
// is the variable GLOO_SOCKET_IFNAME, or else the interface with the address that the
// machine's name resolves to. An empty string means the default. A smaller group inherits
// its parent's interfaces.
type Interfaces string

// Check controls whether the ranks compare their calls before each collective. They do if
// all ranks are Go processes and all have set Check. The comparison exchanges a few
// bytes, which takes noticeable time for small tensors. Without it, ranks whose calls
// differ may crash all processes, as in Python: Gloo ends a process that receives more
// than it expects. Groups with Python ranks compare calls if TORCH_DISTRIBUTED_DEBUG is
// DETAIL on all ranks. The default is true; a smaller group inherits its parent's
// setting.
type Check bool

// IsMaster controls whether this process runs the store's server. The stores of the other processes
// connect to it. The default is false.
type IsMaster bool

// WaitForWorkers controls whether the server of a store waits until all clients have connected. It
// is wait_for_workers in Python. The default is true.
type WaitForWorkers bool

type withStore struct{ store *Store }

// WithStore sets the store through which the ranks find each other, instead of an init
// method. It requires [Rank] and [WorldSize]. Closing the group does not close the store.
func WithStore(s *Store) GroupOption { return withStore{s} }

// settings holds the values of a group's options.
type settings struct {
	rank, world int         // -1: not given
	method      *InitMethod // nil: not given
	store       *Store
	timeout     time.Duration
	interfaces  string
	check       bool
}

func defaultSettings() settings {
	return settings{rank: -1, world: -1, timeout: DefaultTimeout, check: true}
}

func (s *settings) readGroup(op string, opts []GroupOption) error {
	for _, o := range opts {
		switch o := o.(type) {
		case Rank:
			if s.rank = int(o); s.rank < 0 {
				return argumentError(op, torch.ErrValue, "Rank", "expected 0 or more, got %d", s.rank)
			}
		case WorldSize:
			if s.world = int(o); s.world < 1 {
				return argumentError(op, torch.ErrValue, "WorldSize", "expected 1 or more, got %d", s.world)
			}
		case InitMethod:
			s.method = &o
		case withStore:
			if o.store == nil {
				return argumentError(op, torch.ErrNil, "WithStore", "is nil")
			}
			s.store = o.store
		case SubgroupOption:
			if err := s.readCommon(op, o); err != nil {
				return err
			}
		default:
			return torch.BadOption(op, o)
		}
	}
	if s.store != nil && s.method != nil {
		return argumentError(op, torch.ErrValue, "InitMethod", "cannot be combined with WithStore, which replaces it")
	}
	return nil
}

// check returns an error for an invalid timeout.
func (t Timeout) check(op string) error {
	if t := time.Duration(t); t < time.Millisecond {
		return argumentError(op, torch.ErrValue, "Timeout", "expected a millisecond or more, got %v", t)
	}
	return nil
}

// readCommon reads an option that [SubgroupOption] also allows.
func (s *settings) readCommon(op string, o SubgroupOption) error {
	switch o := o.(type) {
	case Timeout:
		if err := o.check(op); err != nil {
			return err
		}
		s.timeout = time.Duration(o)
	case Interfaces:
		s.interfaces = string(o)
	case Check:
		s.check = bool(o)
	default:
		return torch.BadOption(op, o)
	}
	return nil
}

// A ReduceOption is the operation of a reduction; see [ReduceOp].
//
//gotorch:options ReduceOp
type ReduceOption interface{ reduceOption() }

// ReduceOp is the operation that combines the tensors of all ranks. The default is Sum.
type ReduceOp int

// The operations, as in Python's ReduceOp. With Gloo, Avg does not support integers. BAnd, BOr and
// BXor only support integers.
const (
	Sum ReduceOp = iota
	Avg
	Product
	Min
	Max
	BAnd
	BOr
	BXor
)

// String returns the operation's name in Python.
func (o ReduceOp) String() string {
	names := []string{"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"}
	if o < 0 || int(o) >= len(names) {
		return "ReduceOp(?)"
	}
	return names[o]
}

func reduceOp(op string, opts []ReduceOption) (ReduceOp, error) {
	r := Sum
	for _, o := range opts {
		switch o := o.(type) {
		case ReduceOp:
			r = o
		default:
			return r, torch.BadOption(op, o)
		}
	}
	if r < Sum || r > BXor {
		return r, argumentError(op, torch.ErrValue, "ReduceOp", "expected one of Sum to BXor, got %d", int(r))
	}
	return r, nil
}
