package distributed

import (
	"time"

	"github.com/gotorch/gotorch/torch"
)

// DefaultTimeout is how long a collective waits for other ranks unless a [Timeout] or a
// context says otherwise: half an hour, as in Python for Gloo. DefaultStoreTimeout is how
// long a store of its own waits, five minutes as in Python.
const (
	DefaultTimeout      = 30 * time.Minute
	DefaultStoreTimeout = 5 * time.Minute
)

// A GroupOption says how a process joins a group: [Rank], [WorldSize], [InitMethod],
// [WithStore], [Timeout], [Interfaces], [Check].
//
//gotorch:options Rank WorldSize InitMethod withStore Timeout Interfaces Check
type GroupOption interface{ groupOption() }

// A SubgroupOption says how [ProcessGroup.NewGroup] makes a group: [Timeout],
// [Interfaces], [Check].
//
//gotorch:options Timeout Interfaces Check
type SubgroupOption interface{ subgroupOption() }

// A StoreOption says how a [NewTCPStore] is made: [WorldSize], [WaitForWorkers],
// [Timeout].
//
//gotorch:options WorldSize WaitForWorkers Timeout
type StoreOption interface{ storeOption() }

// Rank is the number of this process, from 0. Without it the environment says it, or the
// init method.
type Rank int

// WorldSize is how many processes there are. Without it the environment says it, or the
// init method; a store that is not told does not wait for others.
type WorldSize int

// InitMethod is where the ranks find each other: "env://", the default, which reads RANK,
// WORLD_SIZE, MASTER_ADDR and MASTER_PORT, "tcp://host:port" or "file:///shared/path", with
// ?rank=0&world_size=4 if they are not given otherwise. Beside [WithStore] it is an error.
type InitMethod string

// Timeout is how long one collective may wait for other ranks, [DefaultTimeout] without it,
// also in a smaller group whose parent has another; of a store how long it waits for a key,
// [DefaultStoreTimeout] without it.
type Timeout time.Duration

// Interfaces are the network interfaces that ranks talk over, with commas between them, as
// in GLOO_SOCKET_IFNAME, which counts without it or if it is empty. Without both it is the
// one that has the address that the machine's name stands for. A smaller group has those of
// its parent.
type Interfaces string

// Check is whether the ranks compare what they call before each collective (true), if all
// of them are Go's and want it. It takes one more exchange of a few bytes, which small
// tensors feel. Without it ranks that differ may end all processes, as in Python:
// Gloo ends a process that is sent more than it expects. Groups with ranks of Python's
// compare if TORCH_DISTRIBUTED_DEBUG is DETAIL, on all ranks. The default is true, of a
// smaller group what its parent was made with.
type Check bool

// WaitForWorkers is whether the server of a store waits until all clients have come (true);
// wait_for_workers in Python. The default is true.
type WaitForWorkers bool

type withStore struct{ store *Store }

// WithStore is a store for the group to find its ranks by, in place of an init method. It
// is not closed with the group. [Rank] and [WorldSize] have to be given with it.
func WithStore(s *Store) GroupOption { return withStore{s} }

// settings are what a group is made with.
type settings struct {
	rank, world int         // -1: not given
	method      *InitMethod // nil: not given
	store       *Store
	timeout     time.Duration
	interfaces  string
	check       bool
}

func defaults() settings {
	return settings{rank: -1, world: -1, timeout: DefaultTimeout, check: true}
}

func (s *settings) group(op string, opts []GroupOption) error {
	for _, o := range opts {
		switch o := o.(type) {
		case Rank:
			if s.rank = int(o); s.rank < 0 {
				return wrong(op, torch.ErrValue, "Rank", "expected 0 or more, got %d", s.rank)
			}
		case WorldSize:
			if s.world = int(o); s.world < 1 {
				return wrong(op, torch.ErrValue, "WorldSize", "expected 1 or more, got %d", s.world)
			}
		case InitMethod:
			s.method = &o
		case withStore:
			if o.store == nil {
				return wrong(op, torch.ErrNil, "WithStore", "is nil")
			}
			s.store = o.store
		case SubgroupOption:
			if err := s.any(op, o); err != nil {
				return err
			}
		default:
			return torch.BadOption(op, o)
		}
	}
	if s.store != nil && s.method != nil {
		return wrong(op, torch.ErrValue, "InitMethod", "cannot be given beside WithStore, which takes its place")
	}
	return nil
}

// check refuses a time that nobody can wait for.
func (t Timeout) check(op string) error {
	if t := time.Duration(t); t < time.Millisecond {
		return wrong(op, torch.ErrValue, "Timeout", "expected a millisecond or more, got %v", t)
	}
	return nil
}

// any reads an option that all groups have.
func (s *settings) any(op string, o SubgroupOption) error {
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

// A ReduceOption is the operation of a reduction, see [ReduceOp].
//
//gotorch:options ReduceOp
type ReduceOption interface{ reduceOption() }

// ReduceOp is how the tensors of all ranks become one. Without it they are added.
type ReduceOp int

// The operations, as in Python's ReduceOp. Avg is not Gloo's for whole numbers; the last
// three are for whole numbers alone.
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

// String returns Python's name.
func (o ReduceOp) String() string {
	names := []string{"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"}
	if o < 0 || int(o) >= len(names) {
		return "ReduceOp(?)"
	}
	return names[o]
}

// reduceOp reads the options of a reduction.
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
		return r, wrong(op, torch.ErrValue, "ReduceOp", "expected one of Sum to BXor, got %d", int(r))
	}
	return r, nil
}
