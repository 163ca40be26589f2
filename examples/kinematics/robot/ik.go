package robot

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/linalg"
)

// Config are the settings of a solver. Take [Defaults] and change what should be different.
type Config struct {
	// Retries is how many random positions each problem starts from; all start from the same.
	Retries int
	// Initial are the positions to start from instead, (M, J) for all problems or (N, M, J).
	// The solver keeps a copy.
	Initial *torch.Tensor

	MaxIterations         int
	PosTolerance          float64 // metres
	RotTolerance          float64 // radians
	LR                    float64 // how much of each step is taken
	Regularization        float64 // squared damping of the least squares
	LMDamping             float64 // more damping, times the squared error
	PosWeight, RotWeight  float64 // of the two errors against each other
	LineSearch            *BacktrackingLineSearch
	EarlyStopping         float64 // see below
	EarlyStoppingPatience int
	StopConverged         bool // leave a problem when one of its retries has converged
	EnforceLimits         bool // bring solutions into the chain's limits at the end
	LimitRefinements      int  // steps after that
	ClampToLimits         bool // keep positions within the limits at each step
	Observe               func(iteration int, errPos, errRot *torch.Tensor)
	// Scope runs each iteration, and frees what it makes. A test of memory puts a function
	// in its place that frees nothing.
	Scope func(fn func())
}

// EarlyStopping is the share of a problem's retries that have to be improving, or it is left:
// a retry that has not come closer for more than EarlyStoppingPatience iterations is not.
// Python's words for it are "any" and "all"; StopNever is its None.
const (
	StopAny   = 0.0
	StopAll   = 1 - 1e-7
	StopNever = -1.0
)

// Defaults are Python's, with ten retries.
func Defaults() Config {
	return Config{
		Retries: 10, MaxIterations: 50, PosTolerance: 1e-3, RotTolerance: 1e-2, LR: 1,
		Regularization: 1e-9, LMDamping: 0.1, PosWeight: 1, RotWeight: 1,
		EarlyStopping: StopAny, EarlyStoppingPatience: 2, EnforceLimits: true, LimitRefinements: 10,
	}
}

// PseudoInverseIK finds positions of a chain's joints that bring its end to given places, by
// damped least squares on the Jacobian. All problems and all their retries are one batch. It
// is for one goroutine.
type PseudoInverseIK struct {
	config   Config // without Initial
	chain    *SerialChain
	initial  *torch.Tensor // (M, J) or (N, M, J)
	retries  int64
	quat     *torch.Tensor // (16, 9): see logarithm
	quatBias *torch.Tensor // (16, 1)
	weight   *torch.Tensor // (6, 1), nil if both weights are 1
	err      *torch.Tensor // (N, M) of the last solve
}

// NewPseudoInverseIK makes a solver for a chain, which it uses and does not close. It panics
// with ErrValue for settings that make no sense and with ErrShape or ErrDType for positions
// that are not the chain's. Close frees it.
func NewPseudoInverseIK(chain *SerialChain, c Config) *PseudoInverseIK {
	const op = "robot.NewPseudoInverseIK"
	s := &PseudoInverseIK{config: c, chain: chain}
	s.config.Initial = nil // the caller's, of which there is a copy
	if c.Scope == nil {
		s.config.Scope = torch.Scope
	}
	switch {
	case c.Initial == nil && c.Retries < 1:
		panic(valueError(op, "Retries has to be 1 or more, not %d", c.Retries))
	case c.MaxIterations < 0 || c.LimitRefinements < 0:
		panic(valueError(op, "numbers of iterations cannot be below 0"))
	case c.LineSearch != nil && c.LineSearch.MaxIterations < 1:
		panic(valueError(op, "a line search needs an iteration at least"))
	}
	if c.Initial == nil {
		s.initial = torch.Disown(chain.RandomPositions(int64(c.Retries)))
	} else {
		shape := c.Initial.Shape()
		if n := len(shape); n < 2 || n > 3 || shape[n-1] != int64(len(chain.names)) || shape[n-2] < 1 {
			panic(&torch.Error{Op: op, Kind: torch.ErrShape, Message: fmt.Sprintf(
				"Initial has to be of shape (M, %d) or (N, M, %[1]d), not %v", len(chain.names), shape)})
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

// Clear frees what the solver keeps of its last solve.
func (s *PseudoInverseIK) Clear() {
	_ = s.err.Close()
	s.err = nil
}

// Err are the errors of the last solve's last step, (N, M), or nil. They are the solver's own.
func (s *PseudoInverseIK) Err() *torch.Tensor { return s.err }

// Solve looks for positions that bring the chain's end to the targets, homogeneous matrices
// of shape (N, 4, 4). No gradients are recorded. The solution belongs to the caller, whose
// Clear frees it. It panics with ErrShape and ErrDType for targets of another shape or dtype.
// Follows PseudoInverseIK.solve.
func (s *PseudoInverseIK) Solve(targets *torch.Tensor) (sol *Solution) {
	const op = "robot.PseudoInverseIK.Solve"
	shape := targets.Shape()
	if len(shape) != 3 || shape[1] != 4 || shape[2] != 4 || shape[0] < 1 {
		panic(&torch.Error{Op: op, Kind: torch.ErrShape,
			Message: fmt.Sprintf("targets have to be of shape (N, 4, 4), not %v", shape)})
	}
	if targets.DType() != s.chain.dtype {
		panic(&torch.Error{Op: op, Kind: torch.ErrDType, Message: fmt.Sprintf("targets have to be of the chain's "+
			"dtype %v, not %v", s.chain.dtype, targets.DType())})
	}
	if s.initial.Dim() == 3 && s.initial.Size(0) != shape[0] {
		panic(&torch.Error{Op: op, Kind: torch.ErrShape,
			Message: fmt.Sprintf("Initial is for %d problems, and there are %d targets", s.initial.Size(0), shape[0])})
	}
	s.Clear()
	torch.NoGrad(func() { s.config.Scope(func() { sol = s.solve(targets) }) })
	return sol
}

// search is one solve: N problems, B = N*M attempts, which are the last dimension of
// everything here.
type search struct {
	*PseudoInverseIK
	sol       *Solution
	n         int64
	q         *torch.Tensor   // (J, B)
	rotation  []*torch.Tensor // the columns of the targets' rotations, (3, 1, N, 1)
	place     *torch.Tensor   // (3, N, 1)
	low, high *torch.Tensor   // (J, 1)

	best, stalled *torch.Tensor // (B): the least error, and for how many iterations it is so
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

// iterate takes a step with all attempts.
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

// delta is what the end lacks to the targets: translation and rotation vector, (6, B).
func (p *search) delta(end *torch.Tensor) *torch.Tensor {
	cols := end.Reshape(3, 4, p.n, p.retries).Unbind(1)
	relative := p.rotation[0].Mul(cols[0]).Addcmul_(p.rotation[1], cols[1]).Addcmul_(p.rotation[2], cols[2])
	return torch.Cat([]*torch.Tensor{
		p.place.Sub(cols[3]).Reshape(3, -1),
		p.logarithm(relative.Reshape(9, -1)),
	})
}

// quaternion and bias make of a rotation's nine numbers the matrix whose rows are its
// quaternion, real part first, times four times each of the quaternion's parts.
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

// logarithm are the rotation vectors, (3, B), of rotations (9, B). It takes the row with the
// largest part of the quaternion, which is exact near half a turn too. The row's length does
// not matter.
func (p *search) logarithm(r *torch.Tensor) *torch.Tensor {
	k := p.quatBias.Addmm(p.quat, r).View(4, 4, -1)
	best := k.Diagonal().ArgMax(torch.Dim(1))
	q := k.Gather(0, best.Expand(1, 4, best.Size(0))).Squeeze(0)
	w, v := q.Narrow(0, 0, 1), q.Narrow(0, 1, 3)
	length := v.Norm(torch.Dim(0), torch.KeepDim(true))
	factor := length.Atan2(w.Abs()).MulScalar_(2).Div_(length.ClampMin(1e-30))
	return v.Mul(torch.Where(w.LtScalar(0), factor.Neg(), factor))
}

// step is the change of positions that the damped least squares give, (J, B):
// Jt (J Jt + damping)^-1 dx.
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

// stopEarly leaves problems of which too few attempts come closer.
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
