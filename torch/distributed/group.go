package distributed

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	inmemory "github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// Backend is what carries the tensors.
type Backend string

const (
	// Gloo carries tensors of the CPU over TCP, and those of CUDA by way of the CPU.
	Gloo Backend = "gloo"
	// NCCL carries tensors of CUDA over NVIDIA's library, from device to device, and those of
	// the CPU as Gloo does. A collective on CUDA is over when the current stream has come to
	// it, as an operator is; it has begun when the call returns. Ranks of Python's are in
	// such a group with the backend "cpu:gloo,cuda:nccl".
	//
	// What hangs is given up after the timeout, and the group with it. libtorch itself would
	// end the process: the variables TORCH_NCCL_ASYNC_ERROR_HANDLING and
	// TORCH_NCCL_ENABLE_MONITORING, which say what it does, are set to 2 and 0 where they are
	// not set.
	NCCL Backend = "nccl"
)

// ProcessGroup is this process's membership in a group of processes. Ranks are everywhere
// those of the whole program, of the group that InitProcessGroup returned, as in Python;
// [ProcessGroup.GroupRank] and [ProcessGroup.GlobalRank] translate for smaller ones.
type ProcessGroup struct {
	order   line         // one collective begins after the other
	sending line         // and one send
	devices map[int]bool // of CUDA, that NCCL has connected

	mu        sync.Mutex
	raw       native.Group // 0 once the group is closed
	using     sync.WaitGroup
	pending   map[native.Work]*interrupt // what somebody may be waiting for
	ended     error                      // why no further collective may begin, nil while it may
	warned    bool                       // a rank gave up: ended comes soon, and nothing begins until then
	began     time.Time                  // the newest collective
	over      chan struct{}              // closed when ended is set, and by Close
	barriers  int                        // monitored ones under way
	subgroups int
	relays    map[*relay]bool // that a reducer uses the group by

	backend    Backend
	name       string
	rank       int   // within the group, -1 of who is no member
	ranks      []int // global ones, ascending
	me         int   // my global rank
	store      *Store
	ownStore   bool
	used       bool // the store may have keys of processes that were there before
	hosted     int  // the global rank that has the store's server, -1 for none
	timeout    time.Duration
	interfaces string
	wantsCheck bool
	checked    bool
	ours       []int // ranks within the group that are Go's
	allOurs    bool  // all of them are
	watch      *watch
	object     inmemory.Object
	cleanup    runtime.Cleanup
	pairs      chains
}

// InitProcessGroup joins the group of all processes and returns it; it waits until all of
// them have. Without options it reads what torchrun, Kubeflow and Slurm set: the variables
// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or SLURM_PROCID, SLURM_NTASKS and
// SLURM_JOB_NODELIST. Where torchrun did not start the process, rank 0 runs the store that
// the ranks find each other by. Ranks of Python's may be among them.
//
// It fails with ErrEnvironment if the rank, the number of ranks or the address is not known,
// with ErrTimeout if others do not come before the context's deadline or [Timeout], with
// ErrInUse if the address or the rank is taken, with ErrMismatch if ranks of Go's were told
// different numbers of ranks, with ErrStore and ErrPeer if connections fail. Follows init_process_group.
func InitProcessGroup(ctx context.Context, backend Backend, opts ...GroupOption) (*ProcessGroup, error) {
	const op = "distributed.InitProcessGroup"
	begin, s := time.Now(), defaults()
	if err := s.group(op, opts); err != nil {
		return nil, err
	}
	switch backend {
	case Gloo:
	case NCCL:
		if err := torch.CUDA.At(0).Check(); err != nil {
			return nil, wrong(op, torch.ErrDevice, "backend", "NCCL needs CUDA: %v", err)
		}
	default:
		return nil, wrong(op, torch.ErrValue, "backend", "expected distributed.Gloo or distributed.NCCL, got %.80q", string(backend))
	}
	m := &meeting{rank: s.rank, world: s.world, store: s.store, hosted: -1}
	if s.store != nil {
		if err := m.counted(op); err != nil {
			return nil, err
		}
	} else {
		var err error
		if m, err = meet(ctx, op, &s); err != nil {
			return nil, err
		}
		// As Python: a store that others use too is not disturbed.
		prefixed, err := NewPrefixStore("default_pg", m.store)
		_ = m.store.Close() // the other one keeps it
		if err != nil {
			return nil, err
		}
		m.store = prefixed
	}
	g := &ProcessGroup{
		backend: backend, name: "0", rank: m.rank, ranks: make([]int, m.world), me: m.rank, store: m.store, ownStore: s.store == nil,
		hosted: m.hosted, used: m.used, timeout: s.timeout, interfaces: s.interfaces, wantsCheck: s.check,
	}
	for i := range g.ranks {
		g.ranks[i] = i
	}
	if err := g.join(ctx, op, s.timeout-time.Since(begin)); err != nil {
		if g.ownStore {
			_ = g.store.Close()
		}
		return nil, err
	}
	if m.agent != "" {
		inAgents.add(m.agent)
	}
	return g, nil
}

// must refuses a nil group and one that was closed or has failed.
func (g *ProcessGroup) must(op string) error {
	if g == nil {
		return wrong(op, torch.ErrNil, "g", "is nil")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refusal(op)
}

// there panics with ErrNil for a nil group, where a method has no error to return.
func (g *ProcessGroup) there(op string) *ProcessGroup {
	if g == nil {
		panic(wrong(op, torch.ErrNil, "receiver", "is nil"))
	}
	return g
}

// stop ends what goes on beside the group. mu is held.
func (g *ProcessGroup) stop() {
	select {
	case <-g.over:
	default:
		close(g.over)
	}
}

// refusal returns why no collective may begin, nil if one may. mu is held, but for the time
// that it takes to find out why a rank gave up.
func (g *ProcessGroup) refusal(op string) error {
	for g.warned && g.ended == nil && g.raw != 0 {
		g.mu.Unlock()
		<-g.over
		g.mu.Lock()
	}
	if g.ended == nil && g.raw != 0 {
		return nil
	}
	if g.rank < 0 {
		return &Error{Op: op, Kind: ErrClosed, Rank: -1, World: len(g.ranks), Detail: fmt.Sprintf("rank %d is no member of the group, which has %s", g.me, numbers(g.ranks))}
	}
	e := &Error{Op: op, Kind: ErrClosed, Rank: g.rank, World: len(g.ranks), Detail: "the group was closed"}
	if g.ended != nil {
		e.Err = g.ended
		var cause *Error
		if errors.As(g.ended, &cause) {
			e.Ranks = cause.Ranks
		}
		e.Detail = "the group has ended: " + g.ended.Error()
	}
	return e
}

// Rank returns the number of this process in the group, from 0; -1 if it is no member.
func (g *ProcessGroup) Rank() int { return g.there("distributed.ProcessGroup.Rank").rank }

// Size returns how many processes there are in the group. Follows get_world_size.
func (g *ProcessGroup) Size() int { return len(g.there("distributed.ProcessGroup.Size").ranks) }

// Ranks returns the global ranks of the group, ascending. Follows
// get_process_group_ranks.
func (g *ProcessGroup) Ranks() []int {
	return slices.Clone(g.there("distributed.ProcessGroup.Ranks").ranks)
}

// GlobalRank returns the rank in the whole program of a rank in this group, -1 if there is
// none. Follows get_global_rank.
func (g *ProcessGroup) GlobalRank(rank int) int {
	g.there("distributed.ProcessGroup.GlobalRank")
	if rank < 0 || rank >= len(g.ranks) {
		return -1
	}
	return g.ranks[rank]
}

// GroupRank returns the rank in this group of one in the whole program, -1 if it is no
// member. Follows get_group_rank.
func (g *ProcessGroup) GroupRank(global int) int {
	return slices.Index(g.there("distributed.ProcessGroup.GroupRank").ranks, global)
}

// Backend returns what carries the tensors. Follows get_backend.
func (g *ProcessGroup) Backend() Backend { return g.there("distributed.ProcessGroup.Backend").backend }

// Timeout returns how long a collective waits without a context's deadline.
func (g *ProcessGroup) Timeout() time.Duration {
	return g.there("distributed.ProcessGroup.Timeout").timeout
}

// Checked says whether the ranks compare what they call, see [Check].
func (g *ProcessGroup) Checked() bool { return g.there("distributed.ProcessGroup.Checked").checked }

// String says which rank this is.
func (g *ProcessGroup) String() string {
	if g == nil {
		return "<nil>"
	}
	return fmt.Sprintf("ProcessGroup(%s, rank %d of %d)", g.backend, g.rank, len(g.ranks))
}

// Close leaves the group, as the collector does of a group that nothing refers to any more: what this rank waits for, or has begun and not waited for, ends with
// ErrClosed, and the other ranks' collectives with this one fail. Groups that were made of
// it go on. A process that ends without it is taken for one that has died by ranks that still
// have something under way. Follows destroy_process_group.
//
// Where a rank gave a collective up it waits until the other ranks know, for seconds at most. It
// does not wait for what was being sent to a rank that died, or closed its group meanwhile, which
// Gloo lets go at the timeout of the collective; until then its tensors keep their memory.
func (g *ProcessGroup) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	raw := g.raw
	g.raw = 0
	told := g.ended != nil // by this rank, or to it
	left := len(g.pending) > 0 || g.barriers > 0 || told
	for _, i := range g.pending {
		i.with(&Error{Kind: ErrClosed, Detail: "the group was closed"})
	}
	if raw != 0 {
		g.stop()
	}
	g.mu.Unlock()
	if raw == 0 {
		return nil
	}
	g.cleanup.Stop()
	g.object.Gone()
	if told {
		g.watch.heard()
	}
	g.watch.stop()
	if left { // else Free would wait for them, for as long as their timeout
		raw.Abort()
	}
	native.Ending.Add(1)
	inTime(patience, func() { // but for what Gloo has lost sight of, see pulse
		defer native.Ending.Add(-1)
		g.using.Wait()
		raw.Free()
	})
	if g.ownStore {
		return g.store.Close()
	}
	return nil
}
