package robot_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/examples/kinematics/robots"
	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestMain(m *testing.M) {
	torch.SetNumThreads(1)
	os.Exit(m.Run())
}

// goldens contains results of pytorch-kinematics, recorded by testdata/make_goldens.py.
type goldens struct {
	Serial []struct {
		Robot, End, DType  string
		Joints             []string
		Th, Pose, Jacobian []float64
	}
	Tree []struct {
		Robot, DType string
		Joints       []string
		Th           []float64
		Poses        map[string][]float64
	}
	IK []struct {
		Robot, End string
		Settings   struct {
			StopConverged bool     `json:"early_stopping_any_converged"`
			LineSearch    bool     `json:"line_search"`
			MaxIterations int      `json:"max_iterations"`
			EarlyStopping any      `json:"early_stopping_no_improvement"`
			EnforceLimits *bool    `json:"enforce_joint_limits"`
			Clamp         bool     `json:"clamp_to_limits"`
			PosWeight     *float64 `json:"position_weight"`
			RotWeight     *float64 `json:"orientation_weight"`
			LR            *float64
		}
		Target, Initial, Solutions []float64
		Iterations                 int
		ErrPos                     []float64 `json:"err_pos"`
		ErrRot                     []float64 `json:"err_rot"`
		Converged, Remaining       []bool
		ConvergedAny               []bool `json:"converged_any"`
	}
}

func read(t *testing.T) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

func load(t *testing.T, name string) *urdf.Robot {
	t.Helper()
	r, err := robots.Load(name)
	require.NoError(t, err)
	return r
}

// precision returns the dtype with this name, and the error that a few matrix products
// may have in this dtype.
func precision(name string) (torch.DType, float64) {
	if name == "float32" {
		return torch.Float32, 64 * 0x1p-24
	}
	return torch.Float64, 64 * 0x1p-53
}

func numbers(t *torch.Tensor) []float64 { return t.To(torch.Float64).Float64s() }

func TestSerialChainIsPythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, g := range read(t).Serial {
		dtype, tolerance := precision(g.DType)
		c, err := robot.NewSerialChain(load(t, g.Robot), g.End, "", dtype, torch.CPU)
		require.NoError(t, err)
		assert.Equal(t, g.Joints, c.JointNames())
		torch.Scope(func() {
			th := torch.FromSlice(g.Th).View(-1, int64(len(g.Joints))).To(dtype)
			assert.InDeltaSlice(t, g.Pose, numbers(c.ForwardKinematics(th)), tolerance, "%s %s", g.Robot, g.DType)
			assert.InDeltaSlice(t, g.Jacobian, numbers(c.Jacobian(th)), tolerance, "%s %s", g.Robot, g.DType)
		})
		require.NoError(t, c.Close())
	}
}

func TestChainIsPythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, g := range read(t).Tree {
		dtype, tolerance := precision(g.DType)
		c := robot.NewChain(load(t, g.Robot), dtype, torch.CPU)
		assert.Equal(t, g.Joints, c.JointNames())
		assert.Len(t, c.LinkNames(), len(g.Poses))
		torch.Scope(func() {
			th := torch.FromSlice(g.Th).View(-1, int64(len(g.Joints))).To(dtype)
			got := c.ForwardKinematics(th)
			require.Len(t, got, len(g.Poses))
			for link, want := range g.Poses {
				assert.InDeltaSlice(t, want, numbers(got[link]), tolerance, "%s %s %s", g.Robot, g.DType, link)
			}
		})
		require.NoError(t, c.Close())
	}
}

// The same attempts converge as in Python, to the same positions and in the same number of
// iterations. Differences in the last bits grow while an attempt is far from its target,
// and vanish close to it.
func TestIKIsPythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for i, g := range read(t).IK {
		c, err := robot.NewSerialChain(load(t, g.Robot), g.End, "", torch.Float64, torch.CPU)
		require.NoError(t, err)
		joints := int64(len(c.JointNames()))
		set, config := g.Settings, robot.Defaults()
		config.StopConverged, config.ClampToLimits = set.StopConverged, set.Clamp
		if set.LineSearch {
			config.LineSearch = robot.NewBacktrackingLineSearch()
		}
		if set.MaxIterations > 0 {
			config.MaxIterations = set.MaxIterations
		}
		if set.EnforceLimits != nil {
			config.EnforceLimits, config.EarlyStopping = *set.EnforceLimits, robot.StopNever
		}
		if set.EarlyStopping == "all" {
			config.EarlyStopping = robot.StopAll
		}
		if set.PosWeight != nil {
			config.PosWeight, config.RotWeight, config.LR = *set.PosWeight, *set.RotWeight, *set.LR
		}
		torch.Scope(func() {
			config.Initial = torch.FromSlice(g.Initial).View(-1, joints)
			s := robot.NewPseudoInverseIK(c, config)
			defer s.Close()
			sol := s.Solve(torch.FromSlice(g.Target).View(-1, 4, 4))
			defer sol.Clear()
			assert.Equal(t, g.Converged, sol.Converged.Bools(), i)
			assert.Equal(t, g.ConvergedAny, sol.ConvergedAny.Bools(), i)
			if set.StopConverged || set.EarlyStopping != "all" && set.MaxIterations > 0 {
				// With these settings the number of iterations does not depend on
				// rounding. With other settings, errors of about 1e-16 may determine when
				// a problem stops.
				assert.Equal(t, g.Iterations, sol.Iterations, i)
				assert.Equal(t, g.Remaining, sol.Remaining.Bools(), i)
			}
			assert.Equal(t, torch.Shape{4, 6, joints}, sol.Solutions.Shape())
			got, pos, rot := sol.Solutions.Float64s(), sol.ErrPos.Float64s(), sol.ErrRot.Float64s()
			worst := 0.0
			for k, ok := range g.Converged {
				if !ok {
					continue
				}
				for j := range int(joints) {
					at := k*int(joints) + j
					worst = max(worst, math.Abs(g.Solutions[at]-got[at]))
				}
				worst = max(worst, math.Abs(g.ErrPos[k]-pos[k]), math.Abs(g.ErrRot[k]-rot[k]))
			}
			assert.LessOrEqual(t, worst, 1e-10, i)
		})
		require.NoError(t, c.Close())
	}
}
