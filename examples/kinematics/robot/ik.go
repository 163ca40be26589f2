package robot

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/linalg"
)

// Config contains the settings of a solver. Start from the result of [Defaults].
type Config struct {
	// Retries is the number of random starts for each problem. All problems use the same
	// starts.
	Retries int
	// Initial contains starting positions to use instead of random ones, of shape (M, J)
	// for all problems or (N, M, J). The solver keeps a copy.
	Initial *torch.Tensor

	MaxIterations int
	PosTolerance  float64 // meters
	RotTolerance  float64 // radians
	LR            float64 // factor of each step
	// Regularization is the square of the damping factor of the damped least-squares steps.
	Regularization float64
	// LMDamping is the factor by which the squared error is multiplied before it is added
	// to the square of the damping factor.
	LMDamping             float64
	PosWeight, RotWeight  float64 // weights of the position error and the rotation error
	LineSearch            *BacktrackingLineSearch
	EarlyStopping         float64 // StopNever, StopAny or StopAll
	EarlyStoppingPatience int
	StopConverged         bool // stop a problem when one of its retries has converged
	EnforceLimits         bool // move solutions into the chain's limits at the end
	// LimitRefinements is the number of additional steps after EnforceLimits has moved
	// the solutions.
	LimitRefinements int
	ClampToLimits    bool // keep positions within the limits at each step
	Observe          func(iteration int, errPos, errRot *torch.Tensor)
	// Scope runs each iteration and frees its tensors. The memory study replaces it with a
	// function that frees nothing.
	Scope func(fn func())
}

// Values of EarlyStopping: a share of a problem's retries. The solver stops a problem
// when at most this share of its retries is improving. A retry is improving if its error
// has decreased in the last EarlyStoppingPatience iterations. In Python the values are
// "any", "all" and None.
const (
	StopAny   = 0.0
	StopAll   = 1 - 1e-7
	StopNever = -1.0
)

// Defaults returns the default settings in Python, with ten retries.
func Defaults() Config {
	return Config{
		Retries: 10, MaxIterations: 50, PosTolerance: 1e-3, RotTolerance: 1e-2, LR: 1,
		Regularization: 1e-9, LMDamping: 0.1, PosWeight: 1, RotWeight: 1,
		EarlyStopping: StopAny, EarlyStoppingPatience: 2, EnforceLimits: true, LimitRefinements: 10,
	}
}

// PseudoInverseIK finds joint positions that move a chain's end to given targets, by
// damped least squares with the Jacobian. All problems and all their retries are one
// batch. Only one goroutine may use it at a time.
type PseudoInverseIK struct {
	config   Config // without Initial
	chain    *SerialChain
	initial  *torch.Tensor // (M, J) or (N, M, J)
	retries  int64
	quat     *torch.Tensor // (16, 9), for the method logarithm
	quatBias *torch.Tensor // (16, 1)
	weight   *torch.Tensor // (6, 1), nil if both weights are 1
	err      *torch.Tensor // (N, M), the errors of the last solve
}

// NewPseudoInverseIK returns a solver for a chain. Close frees the solver, but not the
// chain. NewPseudoInverseIK panics with ErrValue for invalid settings, and with ErrShape
// or ErrDType if Initial does not match the chain.
func NewPseudoInverseIK(chain *SerialChain, c Config) *PseudoInverseIK {
	const op = "robot.NewPseudoInverseIK"
	s := &PseudoInverseIK{config: c, chain: chain}
	s.config.Initial = nil // not needed any more: the solver has a copy
	if c.Scope == nil {
		s.config.Scope = torch.Scope
	}
	switch {
	case c.Initial == nil && c.Retries < 1:
		panic(valueError(op, "Retries must be at least 1, got %d", c.Retries))
	case c.MaxIterations < 0 || c.LimitRefinements < 0:
		panic(valueError(op, "MaxIterations and LimitRefinements must be at least 0"))
	case c.LineSearch != nil && c.LineSearch.MaxIterations < 1:
		panic(valueError(op, "LineSearch.MaxIterations must be at least 1"))
	}
	if c.Initial == nil {
		s.initial = torch.Disown(chain.RandomPositions(int64(c.Retries)))
	} else {
		shape := c.Initial.Shape()
		if n := len(shape); n < 2 || n > 3 || shape[n-1] != int64(len(chain.names)) || shape[n-2] < 1 {
			panic(&torch.Error{Op: op, Kind: torch.ErrShape, Message: fmt.Sprintf(
				"Initial must be of shape (M, %d) or (N, M, %[1]d), got %v", len(chain.names), shape)})
		}
		s.initial = torch.Disown(c.Initial.To(chain.dtype, chain.dev, torch.Copy(true)))
	}
	s.retries = s.initial.Size(-2)
	s.quat, s.quatBias = chain.tensor(quaternion[:], 16, 9), chain.tensor(bias[:], 16, 1)
	if c.PosWeight != 1 || c.RotWeight != 1 {
		p, r := c.PosWeight, c.RotWeight
		s.weight = chain.tensor([]float64{p, p, p, r, r, r}, 6, 1)
	}
	return s
}

// Close frees the solver.
func (s *PseudoInverseIK) Close() error {
	s.Clear()
	for _, t := range []*torch.Tensor{s.initial, s.quat, s.quatBias, s.weight} {
		_ = t.Close()
	}
	return nil
}

// Clear frees the errors of the last solve.
func (s *PseudoInverseIK) Clear() {
	_ = s.err.Close()
	s.err = nil
}

// Err returns the errors after the last step of the last solve, (N, M), or nil. The tensor
// belongs to the solver.
func (s *PseudoInverseIK) Err() *torch.Tensor { return s.err }

// Solve finds positions that move the chain's end to the targets, homogeneous matrices of
// shape (N, 4, 4). It records no gradients. The solution belongs to the caller; its Clear
// method frees it. Solve panics with ErrShape or ErrDType if the targets have the wrong
// shape or dtype. Follows PseudoInverseIK.solve.
func (s *PseudoInverseIK) Solve(targets *torch.Tensor) (sol *Solution) {
	const op = "robot.PseudoInverseIK.Solve"
	shape := targets.Shape()
	if len(shape) != 3 || shape[1] != 4 || shape[2] != 4 || shape[0] < 1 {
		panic(&torch.Error{
			Op: op, Kind: torch.ErrShape,
			Message: fmt.Sprintf("targets must be of shape (N, 4, 4), got %v", shape),
		})
	}
	if targets.DType() != s.chain.dtype {
		panic(&torch.Error{Op: op, Kind: torch.ErrDType, Message: fmt.Sprintf("targets must be of the chain's "+
			"dtype %v, not %v", s.chain.dtype, targets.DType())})
	}
	if s.initial.Dim() == 3 && s.initial.Size(0) != shape[0] {
		panic(&torch.Error{
			Op: op, Kind: torch.ErrShape,
			Message: fmt.Sprintf("Initial is for %d problems, and there are %d targets", s.initial.Size(0), shape[0]),
		})
	}
	s.Clear()
	torch.NoGrad(func() { s.config.Scope(func() { sol = s.solve(targets) }) })
	return sol
}

// search is one solve of N problems with B = N*M attempts. The attempts are the last
// dimension of its tensors.
type search struct {
	*PseudoInverseIK
	sol       *Solution
	n         int64
	q         *torch.Tensor   // (J, B)
	rotation  []*torch.Tensor // the columns of the targets' rotations, (3, 1, N, 1)
	place     *torch.Tensor   // (3, N, 1)
	low, high *torch.Tensor   // (J, 1)

	// (B): the smallest error so far, and the number of iterations since it was reached.
	best, stalled *torch.Tensor
}

func (s *PseudoInverseIK) solve(targets *torch.Tensor) *Solution {
	p := s.search(targets)
	done := false
	defer func() {
		if !done {
			p.sol.Clear()
		}
	}()
	for range s.config.MaxIterations {
		if !p.sol.Remaining.Any().ItemBool() {
			break
		}
		s.config.Scope(p.iterate)
		p.sol.Iterations++
	}
	s.config.Scope(func() {
		end, _ := s.chain.velocities(p.q)
		dx := p.delta(end)
		s.err = torch.Disown(dx.Norm(torch.Dim(0)).View(p.n, s.retries))
		p.sol.update(p.q, dx, s.config.StopConverged)
	})
	if s.config.EnforceLimits && !s.chain.infinite {
		p.enforceLimits()
	}
	p.sol.finish()
	done = true
	return p.sol
}

func (s *PseudoInverseIK) search(targets *torch.Tensor) *search {
	n, joints := targets.Size(0), int64(len(s.chain.names))
	p := &search{PseudoInverseIK: s, n: n, low: s.chain.low.Unsqueeze(1), high: s.chain.high.Unsqueeze(1)}
	p.sol = newSolution(joints, n, s)
	p.q = s.initial.Expand(n, s.retries, joints).Reshape(n*s.retries, joints).T().Clone(torch.ContiguousFormat)
	rows := targets.Permute(1, 2, 0).Contiguous() // (4, 4, N)
	cols := rows.Narrow(0, 0, 3).Unsqueeze(-1).Split(1, 1)
	p.rotation, p.place = cols[:3], cols[3].Squeeze(1)
	return p
}

// iterate takes one step in each attempt.
func (p *search) iterate() {
	end, jacobian := p.chain.velocities(p.q)
	dx := p.delta(end)
	p.sol.update(p.q, dx, p.config.StopConverged)
	p.stopEarly(dx)
	if p.config.Observe != nil {
		p.config.Observe(p.sol.Iterations, dx.Narrow(0, 0, 3).Norm(torch.Dim(0)), dx.Narrow(0, 3, 3).Norm(torch.Dim(0)))
	}
	dq := p.step(jacobian, dx)
	if p.config.LineSearch != nil {
		dq = dq.Mul(p.config.LineSearch.search(p, dq, dx))
	} else if p.config.LR != 1 {
		dq = dq.MulScalar(p.config.LR)
	}
	p.q.Add_(dq)
	if p.config.ClampToLimits {
		p.clamp()
	}
}

// delta returns the translation and the rotation vector that move the ends to the targets,
// (6, B).
func (p *search) delta(end *torch.Tensor) *torch.Tensor {
	cols := end.Reshape(3, 4, p.n, p.retries).Unbind(1)
	relative := p.rotation[0].Mul(cols[0]).Addcmul_(p.rotation[1], cols[1]).Addcmul_(p.rotation[2], cols[2])
	return torch.Cat([]*torch.Tensor{
		p.place.Sub(cols[3]).Reshape(3, -1),
		p.logarithm(relative.Reshape(9, -1)),
	})
}

// The product of quaternion and a rotation matrix, plus bias, is a 4 x 4 matrix. Row i of
// that matrix is the rotation's quaternion (real part first) times four times the
// quaternion's element i.
var (
	quaternion = [16 * 9]float64{
		1, 0, 0, 0, 1, 0, 0, 0, 1,
		0, 0, 0, 0, 0, -1, 0, 1, 0,
		0, 0, 1, 0, 0, 0, -1, 0, 0,
		0, -1, 0, 1, 0, 0, 0, 0, 0,

		0, 0, 0, 0, 0, -1, 0, 1, 0,
		1, 0, 0, 0, -1, 0, 0, 0, -1,
		0, 1, 0, 1, 0, 0, 0, 0, 0,
		0, 0, 1, 0, 0, 0, 1, 0, 0,

		0, 0, 1, 0, 0, 0, -1, 0, 0,
		0, 1, 0, 1, 0, 0, 0, 0, 0,
		-1, 0, 0, 0, 1, 0, 0, 0, -1,
		0, 0, 0, 0, 0, 1, 0, 1, 0,

		0, -1, 0, 1, 0, 0, 0, 0, 0,
		0, 0, 1, 0, 0, 0, 1, 0, 0,
		0, 0, 0, 0, 0, 1, 0, 1, 0,
		-1, 0, 0, 0, -1, 0, 0, 0, 1,
	}
	bias = [16]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
)

// logarithm returns the rotation vectors, (3, B), of rotation matrices (9, B). Each row
// of quaternion's result is a multiple of the rotation's quaternion. The row with the
// largest element is used, because it is exact even near half a turn.
func (p *search) logarithm(r *torch.Tensor) *torch.Tensor {
	k := p.quatBias.Addmm(p.quat, r).View(4, 4, -1)
	best := k.Diagonal().ArgMax(torch.Dim(1))
	q := k.Gather(0, best.Expand(1, 4, best.Size(0))).Squeeze(0)
	w, v := q.Narrow(0, 0, 1), q.Narrow(0, 1, 3)
	length := v.Norm(torch.Dim(0), torch.KeepDim(true))
	factor := length.Atan2(w.Abs()).MulScalar_(2).Div_(length.ClampMin(1e-30))
	return v.Mul(torch.Where(w.LtScalar(0), factor.Neg(), factor))
}

// step returns the change of joint positions, (J, B), by damped least squares: Jt (J Jt +
// damping)^-1 dx.
func (p *search) step(jacobian, dx *torch.Tensor) *torch.Tensor {
	if p.weight != nil {
		jacobian, dx = jacobian.Mul(p.weight.Unsqueeze(1)), dx.Mul(p.weight)
	}
	j := jacobian.Permute(2, 0, 1)
	a := j.MatMul(j.Transpose(1, 2))
	damping := dx.Square().Sum(torch.Dim(0)).MulScalar_(p.config.LMDamping).AddScalar_(p.config.Regularization)
	a.Diagonal(torch.Dim1(1), torch.Dim2(2)).Add_(damping.Unsqueeze(1))
	x := linalg.Solve(a, dx.T().Unsqueeze(2))
	return jacobian.Mul(x.Permute(1, 2, 0)).Sum(torch.Dim(0))
}

// stopEarly stops the problems in which too few attempts are improving.
func (p *search) stopEarly(dx *torch.Tensor) {
	if p.config.EarlyStopping < 0 {
		return
	}
	err := dx.Norm(torch.Dim(0))
	if p.best == nil {
		p.best, p.stalled = torch.Keep(err), torch.Keep(torch.ZerosLike(err))
		return
	}
	better := err.Lt(p.best)
	p.best.Copy_(torch.Where(better, err, p.best))
	p.stalled.AddScalar_(1).MaskedFill_(better, 0)
	improving := p.stalled.LeScalar(p.config.EarlyStoppingPatience).View(p.n, p.retries)
	share := improving.Sum(torch.Dim(1), torch.Float32).DivScalar_(p.retries)
	p.sol.Remaining.LogicalAnd_(share.GtScalar(p.config.EarlyStopping))
}

func valueError(op, format string, args ...any) error {
	return &torch.Error{Op: op, Kind: torch.ErrValue, Message: fmt.Sprintf(format, args...)}
}
