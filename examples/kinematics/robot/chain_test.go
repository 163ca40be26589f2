package robot_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func serial(t *testing.T, name, end string) *robot.SerialChain {
	t.Helper()
	c, err := robot.NewSerialChain(load(t, name), end, "", torch.Float64, torch.CPU)
	require.NoError(t, err)
	return c
}

// The Jacobian equals autograd's derivative of the forward kinematics. Rows 0 to 2 are the
// gradients of the end's position, and rows 3 to 5 are the vector of the antisymmetric
// matrix dR/dq Rt, where R is the end's rotation.
func TestJacobianIsAutograds(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(2)
	for _, at := range [][2]string{{"arm7", "tool"}, {"arm6", "tool"}, {"arm6", "forearm"}, {"hand", "thumb_middle"}} {
		c := serial(t, at[0], at[1])
		torch.Scope(func() {
			const batch = 5
			n := int64(len(c.JointNames()))
			th := torch.Rand(torch.Shape{batch, n}, torch.Float64).RequiresGrad_()
			want := c.Jacobian(th.Detach())
			pose := c.ForwardKinematics(th)
			grad := func(row, col int64) *torch.Tensor { // (B, J)
				y := pose.Select(1, row).Select(1, col).Sum()
				return torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{th}, torch.RetainGraph(true))[0]
			}
			rotation := pose.Detach().Narrow(1, 0, 3).Narrow(2, 0, 3)
			// spin returns an entry of dR/dq Rt for each position and joint, (B, J).
			spin := func(row, col int64) *torch.Tensor {
				sum := torch.Zeros(torch.Shape{batch, n}, torch.Float64)
				for k := range int64(3) {
					sum = sum.Add(grad(row, k).Mul(rotation.Select(1, col).Narrow(1, k, 1)))
				}
				return sum
			}
			got := torch.Stack([]*torch.Tensor{grad(0, 3), grad(1, 3), grad(2, 3), spin(2, 1), spin(0, 2), spin(1, 0)},
				1)
			assert.InDeltaSlice(t, want.Contiguous().Float64s(), got.Contiguous().Float64s(), 1e-14, "%v", at)
		})
		require.NoError(t, c.Close())
	}
}

// Chain and SerialChain return the same poses.
func TestTreeAndSerialChainAgree(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, name := range []string{"arm6", "arm7"} {
		tree, c := robot.NewChain(load(t, name), torch.Float64, torch.CPU), serial(t, name, "tool")
		assert.Equal(t, tree.JointNames(), c.JointNames())
		assert.Equal(t, "tool", c.End())
		torch.Scope(func() {
			th := torch.Rand(torch.Shape{3, int64(len(c.JointNames()))}, torch.Float64)
			end := c.ForwardKinematics(th)
			assert.InDeltaSlice(t, tree.ForwardKinematics(th)["tool"].Float64s(), end.Float64s(), 1e-14)
			places := c.Places(th)
			assert.Equal(t, torch.Shape{int64(len(c.JointNames())) + 1, 3, 3}, places.Shape())
			last := places.Select(0, -1).Contiguous().Float64s()
			assert.Equal(t, end.Narrow(1, 0, 3).Select(2, 3).Contiguous().Float64s(), last)
		})
		require.NoError(t, tree.Close())
		require.NoError(t, c.Close())
	}
}

// A chain may begin at any link above its end.
func TestPartOfARobot(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	r := load(t, "arm7")
	whole, upper := serial(t, "arm7", "tool"), serial(t, "arm7", "link_3")
	lower, err := robot.NewSerialChain(r, "tool", "link_3", torch.Float64, torch.CPU)
	require.NoError(t, err)
	torch.Scope(func() {
		th := torch.Rand(torch.Shape{2, 7}, torch.Float64)
		want := whole.ForwardKinematics(th).Float64s()
		got := upper.ForwardKinematics(th.Narrow(1, 0, 3)).MatMul(lower.ForwardKinematics(th.Narrow(1, 3, 4)))
		assert.InDeltaSlice(t, want, got.Float64s(), 1e-14)
	})
	for _, c := range []*robot.SerialChain{whole, upper, lower} {
		require.NoError(t, c.Close())
	}
}

func TestNothingMoves(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	r, err := urdf.Parse(strings.NewReader(`<robot><link name="a"/><link name="b"/>
		<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 2 3"/></joint></robot>`))
	require.NoError(t, err)
	c := robot.NewChain(r, torch.Float32, torch.CPU)
	torch.Scope(func() {
		got := c.ForwardKinematics(torch.Zeros(torch.Shape{2, 0}))["b"]
		assert.Equal(t, []float32{1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1},
			got.Select(0, 1).Contiguous().Float32s())
	})
	require.NoError(t, c.Close())
}

func TestNoSuchChain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct{ robot, end, root, message string }{
		"no end":       {"arm7", "hook", "", `no link "hook"`},
		"no root":      {"arm7", "tool", "hook", `no link "hook"`},
		"wrong way":    {"arm7", "link_1", "link_2", `"link_1" is not a descendant of link "link_2"`},
		"another arm":  {"hand", "ring_tip", "thumb_base", "not a descendant"},
		"itself":       {"arm7", "tool", "tool", "no joint moves"},
		"a fixed part": {"arm7", "tool", "link_7", "no joint moves"},
		"follows":      {"hand", "ring_tip", "", `"ring_follow" follows joint "ring_curl"`},
	} {
		_, err := robot.NewSerialChain(load(t, c.robot), c.end, c.root, torch.Float32, torch.CPU)
		assert.ErrorContains(t, err, c.message, name)
	}
}

func TestWrongTensors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c, tree := serial(t, "arm7", "tool"), robot.NewChain(load(t, "arm7"), torch.Float32, torch.CPU)
	defer c.Close()
	defer tree.Close()
	bad := func(want error, fn func()) {
		t.Helper()
		assert.ErrorIs(t, torch.Try(func() { torch.Scope(fn) }), want)
	}
	double := func(shape ...int64) *torch.Tensor { return torch.Zeros(shape, torch.Float64) }
	bad(torch.ErrShape, func() { c.ForwardKinematics(double(7)) })
	bad(torch.ErrShape, func() { c.ForwardKinematics(double(2, 6)) })
	bad(torch.ErrDType, func() { c.Jacobian(torch.Zeros(torch.Shape{2, 7})) })
	bad(torch.ErrShape, func() { c.Places(double(2, 6)) })
	bad(torch.ErrDType, func() { tree.ForwardKinematics(double(2, 7)) })
	bad(torch.ErrDType, func() { robot.NewChain(load(t, "arm7"), torch.Int64, torch.CPU) })
	solve := func(change func(*robot.Config), targets *torch.Tensor) {
		config := robot.Defaults()
		change(&config)
		s := robot.NewPseudoInverseIK(c, config)
		defer s.Close()
		s.Solve(targets).Clear()
	}
	plain := func(*robot.Config) {}
	bad(torch.ErrShape, func() { solve(plain, double(4, 4)) })
	bad(torch.ErrShape, func() { solve(plain, double(0, 4, 4)) })
	bad(torch.ErrDType, func() { solve(plain, torch.Zeros(torch.Shape{1, 4, 4})) })
	bad(torch.ErrValue, func() { solve(func(c *robot.Config) { c.Retries = 0 }, double(1, 4, 4)) })
	bad(torch.ErrValue, func() { solve(func(c *robot.Config) { c.MaxIterations = -1 }, double(1, 4, 4)) })
	bad(torch.ErrValue, func() {
		solve(func(c *robot.Config) { c.LineSearch = &robot.BacktrackingLineSearch{} }, double(1, 4, 4))
	})
	bad(torch.ErrShape, func() { solve(func(c *robot.Config) { c.Initial = double(3, 6) }, double(1, 4, 4)) })
	bad(torch.ErrShape, func() { solve(func(c *robot.Config) { c.Initial = double(2, 3, 7) }, double(1, 4, 4)) })
	bad(torch.ErrValue, func() { robot.NewCache(0) })
}

func TestCache(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	r := load(t, "arm7")
	cache := robot.NewCache(2)
	get := func(end string) *robot.SerialChain {
		c, err := cache.SerialChain(r, end, "", torch.Float32, torch.CPU)
		require.NoError(t, err)
		return c
	}
	tool := get("tool")
	get("link_3")
	assert.Same(t, tool, get("tool"))
	dropped := get("link_4") // removes link_3, the least recently used, from the cache
	assert.Equal(t, 2, cache.Len())
	assert.Same(t, tool, get("tool"))
	assert.Same(t, dropped, get("link_4"))
	_, err := cache.SerialChain(r, "hook", "", torch.Float32, torch.CPU)
	require.Error(t, err)

	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			torch.Scope(func() { get("tool").ForwardKinematics(torch.Zeros(torch.Shape{3, 7})) })
		})
	}
	group.Wait()
	cache.ClearCache()
	assert.Zero(t, cache.Len())
	assert.ErrorIs(t, torch.Try(func() { tool.ForwardKinematics(torch.Zeros(torch.Shape{1, 7})) }), torch.ErrClosed)
	assert.NotSame(t, tool, get("tool"))
	cache.ClearCache()
}

// Rotation vectors are correct for no rotation and for half a turn, where simple formulas
// divide by zero. For half a turn the vector may point in either of two opposite
// directions.
func TestHalfATurn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := serial(t, "arm7", "tool")
	defer c.Close()
	torch.Scope(func() {
		config := robot.Defaults()
		config.Initial = torch.FromSlice([]float64{0, 0.3, 0.2, -0.7, 0.1, 0.5, 0}, 1, 7)
		config.MaxIterations = 0
		config.EnforceLimits = false
		s := robot.NewPseudoInverseIK(c, config)
		defer s.Close()
		start := c.ForwardKinematics(config.Initial)
		for axis := range 3 {
			turn := torch.Eye(4, torch.Float64).MulScalar(-1)
			turn.SetIndex(1, axis, axis)
			turn.SetIndex(1, 3, 3)
			sol := s.Solve(turn.MatMul(start))
			assert.InDelta(t, math.Pi, sol.ErrRot.Item(), 1e-12)
			sol.Clear()
		}
		sol := s.Solve(start)
		defer sol.Clear()
		assert.InDelta(t, 0, sol.ErrRot.Item(), 1e-12)
		assert.True(t, sol.ConvergedAny.ItemBool())
	})
}
