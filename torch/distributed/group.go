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

// Backend is the library that sends and receives the tensors.
type Backend string

const (
	// Gloo transfers CPU tensors over TCP. It copies CUDA tensors to the CPU first.
	Gloo Backend = "gloo"
	// NCCL transfers CUDA tensors between devices with NVIDIA's library, and CPU tensors with Gloo.
	// Like an operator, a collective on CUDA tensors may still be running when the call returns. It
	// is complete when the current stream has reached it. Python ranks join such a group with the
	// backend "cpu:gloo,cuda:nccl".
	//
	// A collective that hangs is given up after the timeout, and the group ends. libtorch would end
	// the process instead. To prevent this, gotorch sets TORCH_NCCL_ASYNC_ERROR_HANDLING to 2 and
	// TORCH_NCCL_ENABLE_MONITORING to 0, unless these variables are already set.
	NCCL Backend = "nccl"
)

// ProcessGroup is this process's membership in a group of processes. As in Python, ranks in
// arguments and errors are global: they are ranks in the group that InitProcessGroup returned.
// [ProcessGroup.GroupRank] and [ProcessGroup.GlobalRank] convert them for smaller groups.
type ProcessGroup struct {
	order   queue        // lets collectives begin one after the other
	sending queue        // lets sends begin one after the other
	devices map[int]bool // the CUDA devices that NCCL has connected to those of the other ranks

	mu        sync.Mutex
	raw       native.Group // 0 once the group is closed
	users     sync.WaitGroup
	pending   map[native.Work]*interrupt // calls that a goroutine may be waiting for
	ended     error                      // why no collective may begin any more, or nil
	endsSoon  bool                       // a rank gave up: ended will be set soon; until then no call begins
	lastBegin time.Time                  // when the newest collective began
	done      chan struct{}              // closed when ended is set, and by Close
	barriers  int                        // the number of pending monitored barriers
	subgroups int
	relays    map[*relay]bool // the relays through which reducers use the group

	backend        Backend
	name           string
	rank           int   // this process's rank within the group, -1 if it is not a member
	ranks          []int // global ranks, ascending
	globalRank     int   // this process's global rank
	store          *Store
	ownStore       bool
	storeIsUsed    bool // the store may have keys of earlier processes
	storeHost      int  // the global rank of the store's server, or -1
	timeout        time.Duration
	interfaces     string
	wantsCallCheck bool
	checksCalls    bool
	goRanks        []int // ranks within the group that are Go processes
	allGo          bool  // all ranks are Go processes
	watch          *watch
	object         inmemory.Object
	cleanup        runtime.Cleanup
	pairs          receiveChains
}

// InitProcessGroup joins the group of all processes and returns it. It waits until all processes
// have joined. Without options it reads the variables that torchrun, Kubeflow and Slurm set: RANK,
// WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or SLURM_PROCID, SLURM_NTASKS and SLURM_JOB_NODELIST.
// The ranks find each other through a store, which runs on rank 0 unless torchrun started the
// process. Some ranks may be Python processes.
//
// It fails with ErrEnvironment if the rank, the number of ranks or the address is
// unknown; with ErrTimeout if others do not join before the context's deadline or
// [Timeout]; with ErrInUse if the address or the rank is in use; with ErrMismatch if Go
// ranks have different numbers of ranks; and with ErrStore or ErrPeer if connections
// fail. Follows init_process_group.
func InitProcessGroup(ctx context.Context, backend Backend, opts ...GroupOption) (*ProcessGroup, error) {
	const op = "distributed.InitProcessGroup"
	begin, s := time.Now(), defaultSettings()
	if err := s.readGroup(op, opts); err != nil {
		return nil, err
	}
	switch backend {
	case Gloo:
	case NCCL:
		if err := torch.CUDA.At(0).Check(); err != nil {
			return nil, argumentError(op, torch.ErrDevice, "backend", "NCCL needs CUDA: %v", err)
		}
	default:
		return nil, argumentError(op, torch.ErrValue, "backend",
			"expected distributed.Gloo or distributed.NCCL, got %.80q", string(backend))
	}
	m := &meeting{rank: s.rank, world: s.world, store: s.store, storeHost: -1}
	if s.store != nil {
		if err := m.checkCounts(op); err != nil {
			return nil, err
		}
	} else {
		var err error
		if m, err = newMeeting(ctx, op, &s); err != nil {
			return nil, err
		}
		// As in Python, add a prefix, because other programs may use the same store.
		prefixed, err := NewPrefixStore("default_pg", m.store)
		_ = m.store.Close() // prefixed keeps the underlying store open
		if err != nil {
			return nil, err
		}
		m.store = prefixed
	}
	g := &ProcessGroup{
		backend: backend, name: "0", rank: m.rank, ranks: make([]int, m.world), globalRank: m.rank, store: m.store,
		ownStore:  s.store == nil,
		storeHost: m.storeHost, storeIsUsed: m.storeIsUsed,
		timeout: s.timeout, interfaces: s.interfaces, wantsCallCheck: s.check,
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
	if m.agentRank != "" {
		agentGroups.add(m.agentRank)
	}
	return g, nil
}

// checkOpen returns an error for a nil, closed or failed group.
func (g *ProcessGroup) checkOpen(op string) error {
	if g == nil {
		return argumentError(op, torch.ErrNil, "g", "is nil")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.whyEnded(op)
}

// mustExist panics with ErrNil for a nil group, in methods without an error result.
func (g *ProcessGroup) mustExist(op string) *ProcessGroup {
	if g == nil {
		panic(argumentError(op, torch.ErrNil, "receiver", "is nil"))
	}
	return g
}

// stop ends the group's background work. The caller must hold mu.
func (g *ProcessGroup) stop() {
	select {
	case <-g.done:
	default:
		close(g.done)
	}
}

// whyEnded returns the error that prevents new collectives, or nil. mu is held, but is released
// while another goroutine determines why a rank gave up.
func (g *ProcessGroup) whyEnded(op string) error {
	for g.endsSoon && g.ended == nil && g.raw != 0 {
		g.mu.Unlock()
		<-g.done
		g.mu.Lock()
	}
	if g.ended == nil && g.raw != 0 {
		return nil
	}
	if g.rank < 0 {
		return &Error{
			Op: op, Kind: ErrClosed, Rank: -1, World: len(g.ranks),
			Detail: fmt.Sprintf("rank %d is not a member of the group, which has %s", g.globalRank,
				formatRanks(g.ranks)),
		}
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

// Rank returns the number of this process in the group, from 0, or -1 if it is not a
// member.
func (g *ProcessGroup) Rank() int { return g.mustExist("distributed.ProcessGroup.Rank").rank }

// Size returns the number of processes in the group. Follows get_world_size.
func (g *ProcessGroup) Size() int { return len(g.mustExist("distributed.ProcessGroup.Size").ranks) }

// Ranks returns the global ranks of the group, ascending. Follows
// get_process_group_ranks.
func (g *ProcessGroup) Ranks() []int {
	return slices.Clone(g.mustExist("distributed.ProcessGroup.Ranks").ranks)
}

// GlobalRank returns the global rank of a rank in this group, or -1 if there is none.
// Follows get_global_rank.
func (g *ProcessGroup) GlobalRank(rank int) int {
	g.mustExist("distributed.ProcessGroup.GlobalRank")
	if rank < 0 || rank >= len(g.ranks) {
		return -1
	}
	return g.ranks[rank]
}

// GroupRank converts a global rank to the rank in this group, or to -1 if it is not a
// member. Follows get_group_rank.
func (g *ProcessGroup) GroupRank(global int) int {
	return slices.Index(g.mustExist("distributed.ProcessGroup.GroupRank").ranks, global)
}

// Backend returns the group's backend. Follows get_backend.
func (g *ProcessGroup) Backend() Backend {
	return g.mustExist("distributed.ProcessGroup.Backend").backend
}

// Timeout returns how long a collective waits if the context has no deadline.
func (g *ProcessGroup) Timeout() time.Duration {
	return g.mustExist("distributed.ProcessGroup.Timeout").timeout
}

// Checked reports whether the ranks compare their calls; see [Check].
func (g *ProcessGroup) Checked() bool {
	return g.mustExist("distributed.ProcessGroup.Checked").checksCalls
}

// String describes the group and this rank.
func (g *ProcessGroup) String() string {
	if g == nil {
		return "<nil>"
	}
	return fmt.Sprintf("ProcessGroup(%s, rank %d of %d)", g.backend, g.rank, len(g.ranks))
}

// Close leaves the group. The garbage collector closes an unreachable group. Pending calls of this
// rank end with ErrClosed, and the other ranks' collectives with this rank fail. Groups made from
// this one stay open. If a process ends without Close, ranks with pending calls consider it dead.
// Follows destroy_process_group.
//
// If a rank gave up a collective, Close waits a few seconds at most until the other ranks know
// that. It does not wait for sends to a rank that has died or closed its group. Gloo releases these
// at the collective's timeout; until then their tensors keep their memory.
func (g *ProcessGroup) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	raw := g.raw
	g.raw = 0
	told := g.ended != nil // the other ranks know that the group has ended
	left := len(g.pending) > 0 || g.barriers > 0 || told
	for _, i := range g.pending {
		i.endWait(&Error{Kind: ErrClosed, Detail: "the group was closed"})
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
		g.watch.waitHeard()
	}
	g.watch.stop()
	if left { // without Abort, Free would wait for pending calls until their timeout
		raw.Abort()
	}
	native.Ending.Add(1)
	inTime(rollCallTime, func() { // the limit is for messages that Gloo never completes; see watchConnections
		defer native.Ending.Add(-1)
		g.users.Wait()
		raw.Free()
	})
	if g.ownStore {
		return g.store.Close()
	}
	return nil
}
