package join_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torchtest"
)

func TestMain(m *testing.M) {
	ranks.Local()
	os.Exit(m.Run())
}

// counter is a Joinable without collectives of its own that records its calls.
type counter struct {
	g       *distributed.ProcessGroup
	c       *join.Context
	actives []int // for each input of this rank: the number of ranks that had an input
	mains   int
	lasts   []bool
	ended   int
	failure error
}

func (c *counter) JoinGroup() *distributed.ProcessGroup { return c.g }

func (c *counter) BeginJoin(j *join.Context) (join.Hook, error) {
	c.c = j
	return c, c.failure
}

func (c *counter) EndJoin() { c.ended++ }

func (c *counter) Main(context.Context) error {
	c.mains++
	return nil
}

func (c *counter) Post(_ context.Context, last bool) error {
	c.lasts = append(c.lasts, last)
	return nil
}

// steps returns a training loop with n inputs.
func (c *counter) steps(n int) func() error {
	return func() error {
		for range n {
			active, err := c.c.Notify(c)
			if err != nil {
				return err
			}
			c.actives = append(c.actives, active)
		}
		return nil
	}
}

// The hooks of a rank that has run out of inputs run for the remaining iterations of the others.
func TestJoin(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	inputs := []int{1, 4, 4}
	counters := make([]*counter, 3)
	ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
		c, second := &counter{g: g}, &counter{g: g}
		counters[g.Rank()] = c
		return join.Join(context.Background(), []join.Joinable{c, second}, func() error {
			err := c.steps(inputs[g.Rank()])()
			active, second := second.c.Notify(second)
			if active != 0 || second != nil {
				return fmt.Errorf("the second joinable notified: %d, %w", active, second)
			}
			return err
		})
	})
	for r, want := range []counter{
		{actives: []int{3}, mains: 3, lasts: []bool{false}},
		{actives: []int{3, 2, 2, 2}, mains: 0, lasts: []bool{true}},
		{actives: []int{3, 2, 2, 2}, mains: 0, lasts: []bool{true}},
	} {
		c := counters[r]
		assert.Equal(t, want.actives, c.actives, "rank %d", r)
		assert.Equal(t, want.mains, c.mains)
		assert.Equal(t, want.lasts, c.lasts)
		assert.Equal(t, 1, c.ended)
		assert.True(t, c.c.DivideByInitialWorldSize())
		assert.NotNil(t, c.c.Context())
	}
}

// If a later Joinable cannot begin, or the loop fails, EndJoin is called once on each Joinable that
// has begun.
func TestEndedOnce(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		first, second := &counter{g: g}, &counter{g: g, failure: errors.New("not now")}
		err := join.Join(context.Background(), []join.Joinable{first, second}, func() error { return nil })
		require.ErrorIs(t, err, second.failure)
		assert.Equal(t, 1, first.ended)
		assert.Zero(t, second.ended)
		for name, fn := range map[string]func() error{
			"well":             func() error { return nil },
			"an error":         func() error { return errors.New("oops") },
			"panics":           func() error { torch.Ones(nil).View(7); return nil },
			"panics otherwise": func() error { panic("oops") },
		} {
			c := &counter{g: g}
			func() {
				defer func() { assert.Equal(t, name == "panics otherwise", recover() != nil) }()
				_ = join.Join(context.Background(), []join.Joinable{c}, fn)
			}()
			assert.Equal(t, 1, c.ended, name)
		}
		return nil
	})
}

// If the loop of a rank fails and it closes the group or calls a different collective,
// the other ranks get an error long before the timeout, whether they still have inputs or
// not.
func TestOneFails(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	t.Run("all", func(t *testing.T) {
		for _, others := range []int{0, 1, 5} {
			oneFails(t, others, true, false)
			oneFails(t, others, false, false)
			oneFails(t, others, true, true)
		}
	})
}

func oneFails(t *testing.T, others int, check distributed.Check, calls bool) {
	t.Run(fmt.Sprint(others, check, calls), func(t *testing.T) {
		t.Parallel()
		oops := errors.New("oops")
		errs := ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
			c := &counter{g: g}
			if g.Rank() != 1 {
				return join.Join(context.Background(), []join.Joinable{c}, c.steps(others))
			}
			err := join.Join(context.Background(), []join.Joinable{c}, func() error {
				return errors.Join(c.steps(2)(), oops)
			})
			if calls {
				assert.ErrorIs(t, g.Barrier(context.Background()), distributed.ErrMismatch)
			}
			return err
		}, check)
		require.ErrorIs(t, errs[1], oops)
		want := distributed.ErrPeer
		if calls {
			want = distributed.ErrMismatch
		}
		for _, r := range []int{0, 2} {
			var e *distributed.Error
			require.ErrorAs(t, errs[r], &e)
			require.ErrorIs(t, e, want, "%v", errs[r])
			require.Equal(t, []int{1}, e.Ranks)
		}
	})
}

// Methods of a nil Context, and of one that Join did not make, fail.
func TestNilContext(t *testing.T) {
	for _, c := range []*join.Context{nil, {}} {
		_, err := c.Notify(nil)
		require.ErrorIs(t, err, torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { c.Context() }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { c.DivideByInitialWorldSize() }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { c.ThrowsOnEarlyTermination() }), torch.ErrNil)
	}
}

func TestEarlyTermination(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for r, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		c := &counter{g: g}
		return join.Join(context.Background(), []join.Joinable{c}, c.steps(1+3*g.Rank()),
			join.ThrowOnEarlyTermination(true))
	}) {
		require.ErrorIs(t, err, join.ErrExhausted, "rank %d", r)
	}
}

func TestBadArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	oops := errors.New("oops")
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		c := &counter{g: g}
		ctx, fn := context.Background(), func() error { return nil }
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{c}, nil), torch.ErrNil)
		assert.ErrorIs(t, join.Join(ctx, nil, fn), torch.ErrValue)
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{nil}, fn), torch.ErrNil)
		other, err := g.NewGroup(ctx, []int{0})
		if err != nil {
			return err
		}
		defer other.Close()
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{c, &counter{g: other}}, fn), torch.ErrValue)
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{&counter{}}, fn), torch.ErrNil)
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{c, &counter{g: g, failure: oops}}, fn), oops)
		assert.Equal(t, 1, c.ended, "the Join that began has ended")
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{c}, func() error { return oops }), oops)
		assert.ErrorIs(t, join.Join(ctx, []join.Joinable{c}, func() error {
			torch.Ones(nil).View(7)
			return nil
		}), torch.ErrShape)
		return nil
	})
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Join": optiontest.For(func(opts ...join.Option) optiontest.Outcome {
			var out string
			errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
				c := &counter{g: g}
				steps := c.steps(1 + g.Rank())
				err := join.Join(context.Background(), []join.Joinable{c}, func() error {
					if c.c == nil {
						return nil
					}
					return steps()
				}, opts...)
				if g.Rank() == 1 {
					out = fmt.Sprint(c.c != nil, c.actives, c.c != nil && c.c.DivideByInitialWorldSize(),
						errors.Is(err, join.ErrExhausted))
				}
				if errors.Is(err, join.ErrExhausted) {
					err = nil
				}
				return err
			})
			var e *torch.Error
			if errors.As(errs[1], &e) {
				panic(e)
			}
			return optiontest.Outcome{"done": out}
		},
			optiontest.Values(join.Enable(true), join.Enable(false)),
			optiontest.Values(join.ThrowOnEarlyTermination(true), join.ThrowOnEarlyTermination(false)),
			optiontest.Values(join.DivideByInitialWorldSize(true), join.DivideByInitialWorldSize(false)),
		),
	})
}
