package distributed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// function is a function with options: its row of the test, and a check of its defaults.
type function struct {
	row   optiontest.Row
	usual func(t *testing.T)
}

// with returns a function. usual are the options with their default values, which must not change
// the result.
func with[O any](usual []O, call func(opts ...O) optiontest.Outcome, pairs ...optiontest.Pair) function {
	return function{optiontest.For(call, pairs...), func(t *testing.T) {
		without := call()
		for _, o := range usual {
			assert.Equal(t, without, call(o), "%T(%v) is not the default", o, o)
		}
	}}
}

// Tests each option of each function: alone, after the same option with a different
// value, and together with a nil option. It also tests the defaults.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	both, pair := newCrew(t), newCrew(t, distributed.Check(false))
	defer both.end()
	defer pair.end()
	rows := map[string]optiontest.Row{}
	for _, list := range []map[string]function{
		groupRows(t, both), reduceRows(both), objectRows(both), splitRows(both),
		tagRows(pair), barrierRows(t),
	} {
		for name, f := range list {
			rows[name] = f.row
			t.Run(name+"/default", f.usual)
		}
	}
	optiontest.Read(t, ".").Run(t, rows)
}

// crew is a group of two ranks, here goroutines, which run the functions that they are given.
type crew struct {
	t     *testing.T
	tasks [2]chan func(g *distributed.ProcessGroup)
	ended chan struct{}
	errs  []error
}

func newCrew(t *testing.T, opts ...distributed.GroupOption) *crew {
	c := &crew{t: t, ended: make(chan struct{})}
	for r := range c.tasks {
		c.tasks[r] = make(chan func(g *distributed.ProcessGroup))
	}
	new(sync.WaitGroup).Go(func() {
		defer close(c.ended)
		c.errs = ranks.Run(t, len(c.tasks), func(g *distributed.ProcessGroup) error {
			for task := range c.tasks[g.Rank()] {
				task(g)
			}
			return nil
		}, opts...)
	})
	return c
}

func (c *crew) end() {
	for _, task := range c.tasks {
		close(task)
	}
	<-c.ended
	assert.NoError(c.t, errors.Join(c.errs...))
}

// all calls fn on both ranks and describes the results. It panics with an error of either rank.
func (c *crew) all(name string, fn func(g *distributed.ProcessGroup) (any, error)) optiontest.Outcome {
	c.t.Helper()
	var did [2]any
	var errs [2]error
	var all sync.WaitGroup
	for r := range did {
		all.Add(1)
		task := func(g *distributed.ProcessGroup) {
			defer all.Done()
			panicked := torch.Try(func() { torch.Scope(func() { did[r], errs[r] = fn(g) }) })
			errs[r] = errors.Join(panicked, errs[r])
		}
		select {
		case c.tasks[r] <- task:
		case <-c.ended:
			require.NoError(c.t, errors.Join(c.errs...), "the ranks have ended")
		}
	}
	all.Wait()
	refused(c.t, name, errs[:]...)
	return optiontest.Outcome{"ranks": fmt.Sprint(did)}
}

// refused panics with the first error about an option or, if there is none, with the first error.
// The error must name the function.
func refused(t *testing.T, name string, errs ...error) {
	t.Helper()
	for _, err := range errs {
		var e *torch.Error
		if errors.As(err, &e) {
			assert.Equal(t, "distributed."+name, e.Op, "%v", e)
			panic(e)
		}
	}
	if err := errors.Join(errs...); err != nil {
		panic(torch.WrapError(name, err))
	}
}

// last returns the last option of type T, or its second argument if there is none.
func last[T, O any](opts []O, otherwise T) T {
	for _, o := range opts {
		if v, ok := any(o).(T); ok {
			otherwise = v
		}
	}
	return otherwise
}

// An option that the function does not take does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"time", "github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/distributed"},
		Decls:   "var g *distributed.ProcessGroup",
	}
	s.Accepts(t,
		"distributed.InitProcessGroup(nil, distributed.Gloo, distributed.Rank(0), distributed.WithStore(nil), "+
			"distributed.Check(true))",
		"distributed.NewTCPStore(nil, ``, distributed.IsMaster(true), distributed.WorldSize(1), "+
			"distributed.Timeout(time.Second))",
		"g.NewGroup(nil, nil, distributed.Interfaces(``))",
		"g.AllReduce(nil, nil, distributed.Max)",
	)
	s.Rejects(t,
		"distributed.InitProcessGroup(nil, distributed.Gloo, distributed.WaitForWorkers(true))",
		"distributed.InitProcessGroup(nil, distributed.Gloo, time.Second)",
		"distributed.NewTCPStore(nil, ``, distributed.Rank(0))",
		"distributed.NewTCPStore(nil, ``, distributed.Check(true))",
		"distributed.NewTCPStore(nil, ``, true)",
		"g.NewGroup(nil, nil, distributed.Rank(0))",
		"g.NewSubgroups(nil, 2, distributed.WorldSize(2))",
		"g.AllReduce(nil, nil, distributed.Tag(0))",
		"g.Reduce(nil, nil, 0, torch.KeepDim(true))",
		"g.Send(nil, nil, 0, 3)",
		"g.Recv(nil, nil, 0, distributed.Max)",
		"g.SendObject(nil, 0, 0, distributed.Tag(0))",
		"g.AllToAllSingle(nil, nil, nil, []int64{1})",
		"g.MonitoredBarrier(nil, distributed.Timeout(time.Second))",
	)
}

// The defaults are the same as in Python's signatures. TestOptions checks that each
// function has them.
func TestDefaultsArePythons(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	printed := pythontest.Script(t, python, "", `
import inspect, json, re
import torch.distributed as d
from torch.distributed.distributed_c10d import _get_default_timeout as timeout
def default(function, argument):
    value = inspect.signature(getattr(d, function)).parameters[argument].default
    return getattr(value, "name", value)
reduce = ("all_reduce", "all_reduce_coalesced", "reduce", "reduce_scatter", "reduce_scatter_tensor")
print(json.dumps({
    "op": sorted({default(f, "op") for f in reduce}),
    "tag": sorted({default(f, "tag") for f in ("send", "isend", "recv", "irecv")}),
    "splits": [default("all_to_all_single", a + "_split_sizes") for a in ("input", "output")],
    "wait_all_ranks": default("monitored_barrier", "wait_all_ranks"),
    "timeouts": [default(f, "timeout") for f in ("init_process_group", "new_group", "new_subgroups")],
    "timeout": timeout("gloo").total_seconds(),
    "store timeout": d.HashStore().timeout.total_seconds(),
    "wait_for_workers": re.search(r"wait_for_workers: bool = (\w+)", d.TCPStore.__init__.__doc__)[1],
}))`)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(printed), &got))
	assert.Equal(t, map[string]any{
		"op":               []any{distributed.Sum.String()},
		"tag":              []any{0.0},
		"splits":           []any{nil, nil},
		"wait_all_ranks":   false,
		"timeouts":         []any{nil, nil, nil},
		"timeout":          distributed.DefaultTimeout.Seconds(),
		"store timeout":    distributed.DefaultStoreTimeout.Seconds(),
		"wait_for_workers": "True",
	}, got)
}

// Options that conflict, or that are invalid on these ranks, are errors.
func TestOptionsThatCannotBe(t *testing.T) {
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	join := func(opts ...distributed.GroupOption) error {
		g, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo, opts...)
		assert.Nil(t, g)
		return err
	}
	by := distributed.WithStore(store)
	for name, c := range map[string]struct {
		opts []distributed.GroupOption
		kind error
	}{
		"no store": {[]distributed.GroupOption{distributed.WithStore(nil)}, torch.ErrNil},
		"a store and a method": {
			[]distributed.GroupOption{by, distributed.InitMethod("env://")},
			torch.ErrValue,
		},
		"a method and a store": {
			[]distributed.GroupOption{distributed.InitMethod("tcp://localhost:1"), by},
			torch.ErrValue,
		},
		"an empty method": {[]distributed.GroupOption{distributed.InitMethod("")}, torch.ErrValue},
		"a method of another kind": {
			[]distributed.GroupOption{distributed.InitMethod("http://localhost:1")},
			torch.ErrValue,
		},
		"a method that is no URL": {
			[]distributed.GroupOption{distributed.InitMethod("tcp://:port")},
			torch.ErrValue,
		},
		"a rank that there is not": {
			[]distributed.GroupOption{by, distributed.Rank(2), distributed.WorldSize(2)},
			torch.ErrValue,
		},
		"a store and no rank": {
			[]distributed.GroupOption{by, distributed.WorldSize(2)},
			distributed.ErrEnvironment,
		},
		"a store and no number of ranks": {
			[]distributed.GroupOption{by, distributed.Rank(0)},
			distributed.ErrEnvironment,
		},
		"an interface that there is not": {[]distributed.GroupOption{
			by, distributed.Rank(0), distributed.WorldSize(1),
			distributed.Interfaces("none0"),
		}, distributed.ErrNetwork},
	} {
		require.ErrorIs(t, join(c.opts...), c.kind, name)
	}
	g, err := distributed.InitProcessGroup(ranks.Soon(t), "mpi")
	require.ErrorIs(t, err, torch.ErrValue)
	assert.Nil(t, g)
}

// A timeout that is longer than libtorch can represent is replaced by the longest
// possible one. It does not expire immediately.
func TestTheLongestTimeout(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const longest = distributed.Timeout(1<<63 - 1)
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		if g.Timeout() != time.Duration(longest) {
			return fmt.Errorf("the timeout is %v", g.Timeout())
		}
		x := full(1, 2)
		return errors.Join(g.AllReduce(background, x), same("AllReduce", x, 2, 2), g.MonitoredBarrier(background))
	}, longest)
	s, err := distributed.NewTCPStore(background, "127.0.0.1:0", distributed.IsMaster(true), longest)
	require.NoError(t, err)
	require.NoError(t, s.Set("key", []byte("value")))
	require.NoError(t, s.Wait(background, "key"))
	require.NoError(t, s.Close())
}

// A subgroup inherits from its parent the options that Python does not have. It does not
// inherit the timeout; its timeout is Python's default.
func TestOptionsOfParents(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		sub, err := g.NewGroup(background, []int{0, 1})
		if err != nil {
			return err
		}
		if sub.Checked() || sub.Timeout() != distributed.DefaultTimeout {
			err = fmt.Errorf("checked %v, timeout %v", sub.Checked(), sub.Timeout())
		}
		return errors.Join(err, sub.Close())
	}, distributed.Check(false), distributed.Timeout(time.Hour))
	t.Setenv("GLOO_SOCKET_IFNAME", "none0")
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		sub, err := g.NewGroup(background, []int{0, 1})
		if err != nil {
			return err
		}
		return sub.Close()
	}, distributed.Interfaces("lo"))
	for _, err := range ranks.Run(t, 2, func(*distributed.ProcessGroup) error { return nil }) {
		require.ErrorIs(t, err, distributed.ErrNetwork, "the environment's interface")
	}
}
