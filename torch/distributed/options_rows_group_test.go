package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch/distributed"
)

var (
	timeouts   = optiontest.Values(distributed.Timeout(time.Hour), distributed.Timeout(time.Minute))
	noTimeout  = optiontest.Refused(distributed.Timeout(0))
	checks     = optiontest.Values(distributed.Check(false), distributed.Check(true))
	interfaces = optiontest.Values(distributed.Interfaces("none0"), distributed.Interfaces("lo"))
)

// groupRows returns the functions that create groups and stores.
func groupRows(t *testing.T, parent *crew) map[string]function {
	subgroup := func(name string,
		make func(g *distributed.ProcessGroup,
			opts []distributed.SubgroupOption) (*distributed.ProcessGroup, error),
	) function {
		return with([]distributed.SubgroupOption{
			distributed.Timeout(distributed.DefaultTimeout),
			distributed.Interfaces(""), distributed.Check(true),
		},
			func(opts ...distributed.SubgroupOption) optiontest.Outcome {
				return parent.all(name, func(g *distributed.ProcessGroup) (any, error) {
					sub, err := make(g, opts)
					return facts(sub, err)
				})
			}, timeouts, noTimeout, checks, interfaces)
	}
	return map[string]function{
		"InitProcessGroup": initRow(t),
		"NewTCPStore":      storeRow(t),
		"ProcessGroup.NewGroup": subgroup("ProcessGroup.NewGroup",
			func(g *distributed.ProcessGroup, opts []distributed.SubgroupOption) (*distributed.ProcessGroup, error) {
				return g.NewGroup(ranks.Soon(t), []int{1, 0}, opts...)
			}),
		"ProcessGroup.NewSubgroups": subgroup("ProcessGroup.NewSubgroups",
			func(g *distributed.ProcessGroup, opts []distributed.SubgroupOption) (*distributed.ProcessGroup, error) {
				return g.NewSubgroups(ranks.Soon(t), 2, opts...)
			}),
	}
}

// facts returns a description of a group, and closes the group. If joining failed because of the
// network, it returns ErrNetwork.
func facts(g *distributed.ProcessGroup, err error) (any, error) {
	if errors.Is(err, distributed.ErrNetwork) {
		return distributed.ErrNetwork, nil
	}
	if err != nil {
		return nil, err
	}
	return fmt.Sprintf("rank %d of %d, %v, checked %v", g.Rank(), g.Size(), g.Timeout(), g.Checked()), g.Close()
}

// initRow tests InitProcessGroup. The environment sets what the options leave out: rank 0, a world
// size of two, and the address of a store.
func initRow(t *testing.T) function {
	t.Setenv("RANK", "0")
	t.Setenv("WORLD_SIZE", "2")
	t.Setenv("MASTER_ADDR", "127.0.0.1")
	t.Setenv("TORCHELASTIC_USE_AGENT_STORE", "True") // the test runs the server, on a known port
	places := &places{t: t, stores: map[string]*distributed.Store{}, keys: map[string]int{}}
	byEnvironment := with([]distributed.GroupOption{
		distributed.Rank(0), distributed.WorldSize(2),
		distributed.InitMethod("env://"),
	},
		func(opts ...distributed.GroupOption) optiontest.Outcome { return initOutcome(t, places, opts) })
	byStore := with([]distributed.GroupOption{
		distributed.Interfaces(""),
		distributed.Timeout(distributed.DefaultTimeout), distributed.Check(true),
	},
		func(opts ...distributed.GroupOption) optiontest.Outcome {
			if _, ok := last[any](opts, nil).(distributed.InitMethod); !ok && !hasStore(opts) {
				opts = append([]distributed.GroupOption{places.store("one")}, opts...)
			}
			return initOutcome(t, places, opts)
		},
		optiontest.Values(distributed.Rank(1), distributed.Rank(0)), optiontest.Refused(distributed.Rank(-1)),
		optiontest.Values(distributed.WorldSize(1), distributed.WorldSize(2)),
		optiontest.Refused(distributed.WorldSize(0)),
		optiontest.Values(places.file, distributed.InitMethod("env://")),
		optiontest.Refused(distributed.InitMethod("http://127.0.0.1")),
		optiontest.Values(func() any { return places.store("one") }, func() any { return places.store("other") }),
		timeouts, noTimeout, checks, interfaces)
	return function{byStore.row, func(t *testing.T) {
		byEnvironment.usual(t)
		byStore.usual(t)
	}}
}

func hasStore(opts []distributed.GroupOption) bool {
	return slices.ContainsFunc(opts, func(o distributed.GroupOption) bool {
		return fmt.Sprintf("%T", o) == "distributed.withStore"
	})
}

// initOutcome joins a group with options, together with its other ranks, and describes the group
// and the place where its ranks met.
func initOutcome(t *testing.T, places *places, opts []distributed.GroupOption) optiontest.Outcome {
	defer places.close()
	rank, world := last(opts, distributed.Rank(0)), last(opts, distributed.WorldSize(2))
	if !hasStore(opts) {
		places.serve()
	}
	if hasStore(opts) || places.path != "" { // with these options, the environment is not read
		opts = append([]distributed.GroupOption{rank, world}, opts...)
	}
	join := func(opts []distributed.GroupOption) (*distributed.ProcessGroup, error) {
		return distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo, opts...)
	}
	var others sync.WaitGroup
	for r := range world {
		if distributed.Rank(r) == rank {
			continue
		}
		others.Go(func() {
			if g, err := join(append(opts[:len(opts):len(opts)], distributed.Rank(r))); err == nil {
				assert.NoError(t, g.Close())
			}
		})
	}
	g, err := join(opts)
	met := places.met()
	what, err := facts(g, err)
	others.Wait()
	refused(t, "InitProcessGroup", err)
	return optiontest.Outcome{"group": fmt.Sprintf("%v, met at %s", what, met)}
}

// places are the stores and files where the ranks of one call can meet.
type places struct {
	t      *testing.T
	stores map[string]*distributed.Store
	keys   map[string]int // the number of keys in each store before the call
	path   string         // path of a file store, or ""
	files  int
}

// file returns an InitMethod with the path of a new file.
func (p *places) file() any {
	p.files++
	p.path = filepath.Join(p.t.TempDir(), strconv.Itoa(p.files))
	return distributed.InitMethod("file://" + p.path)
}

// store returns a WithStore option with a new store.
func (p *places) store(name string) distributed.GroupOption {
	s, err := distributed.NewHashStore()
	require.NoError(p.t, err)
	p.add(name, s)
	return distributed.WithStore(s)
}

// serve starts the store that the environment names.
func (p *places) serve() {
	s, err := distributed.NewTCPStore(ranks.Soon(p.t), "127.0.0.1:0", distributed.IsMaster(true))
	require.NoError(p.t, err)
	p.t.Setenv("MASTER_PORT", strconv.Itoa(s.Port()))
	p.add("environment", s)
}

func (p *places) add(name string, s *distributed.Store) {
	if p.stores[name] != nil {
		require.NoError(p.t, p.stores[name].Close())
	}
	n, err := s.NumKeys()
	require.NoError(p.t, err)
	p.stores[name], p.keys[name] = s, n
}

// met returns the name of the place where the ranks met: the store whose number of keys has
// changed.
func (p *places) met() string {
	for name, s := range p.stores {
		if n, err := s.NumKeys(); err != nil || n != p.keys[name] {
			return name
		}
	}
	if _, err := os.Stat(p.path); err == nil {
		return "file"
	}
	return "nowhere"
}

func (p *places) close() {
	for _, s := range p.stores {
		assert.NoError(p.t, s.Close())
	}
	clear(p.stores)
	p.path = ""
}

// storeRow tests NewTCPStore. It makes two stores. One is for two processes, but the
// second process never connects. The other store does not wait for processes. A call that
// must wait gets a short time, and a call that must not wait gets as much time as it
// needs.
func storeRow(t *testing.T) function {
	const moment = 50 * time.Millisecond
	start := func(ctx context.Context, opts ...distributed.StoreOption) (string, error) {
		opts = append(opts[:len(opts):len(opts)], distributed.IsMaster(true))
		s, err := distributed.NewTCPStore(ctx, "127.0.0.1:0", opts...)
		if errors.Is(err, distributed.ErrTimeout) {
			return "waits", nil
		}
		refused(t, "NewTCPStore", err)
		return s.Timeout().String(), s.Close()
	}
	server, err := distributed.NewTCPStore(ranks.Soon(t), "127.0.0.1:0", distributed.IsMaster(true))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	role := func(ctx context.Context, opts ...distributed.StoreOption) string {
		opts = append(opts[:len(opts):len(opts)], distributed.WaitForWorkers(false))
		s, err := distributed.NewTCPStore(ctx, fmt.Sprint("127.0.0.1:", server.Port()), opts...)
		if errors.Is(err, distributed.ErrInUse) {
			return "server"
		}
		require.NoError(t, err)
		require.NoError(t, s.Close())
		return "client"
	}
	return with([]distributed.StoreOption{
		distributed.IsMaster(false),
		distributed.Timeout(distributed.DefaultStoreTimeout),
		distributed.WaitForWorkers(true),
	},
		func(opts ...distributed.StoreOption) optiontest.Outcome {
			ctx := ranks.Soon(t)
			long, err := start(ctx, append(opts[:len(opts):len(opts)], distributed.WaitForWorkers(false))...)
			require.NoError(t, err)
			who := role(ctx, opts...)
			opts = append([]distributed.StoreOption{distributed.WorldSize(2)}, opts...)
			if last(opts, distributed.WorldSize(2)) > 1 && bool(last(opts, distributed.WaitForWorkers(true))) {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, moment)
				defer cancel()
			}
			short, err := start(ctx, opts...)
			require.NoError(t, err)
			return optiontest.Outcome{"stores": long + ", " + short + ", " + who}
		},
		optiontest.Values(distributed.IsMaster(false), distributed.IsMaster(true)),
		optiontest.Values(distributed.WorldSize(1), distributed.WorldSize(2)),
		optiontest.Refused(distributed.WorldSize(0)),
		optiontest.Values(distributed.WaitForWorkers(false), distributed.WaitForWorkers(true)),
		timeouts, noTimeout)
}
