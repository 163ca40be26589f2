package robot

import (
	"math"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// SerialChain is the way from one link of a robot to another, such as an arm from its base to
// its tool. It may be used from several goroutines.
//
// Fixed joints are part of the matrix of the joint after them, and frames are turned so that
// each joint moves along or about its own z. So a frame's third and fourth column are the
// joint's axis and place, which is all that the Jacobian needs.
type SerialChain struct {
	joints
	end      string
	slides   *torch.Tensor // (1, J, 1) bools: which joints are prismatic; nil if none is
	turning  []bool        // the others
	tool     *torch.Tensor // (3, 4, 1), the end beside the last joint; nil if it is just there
	infinite bool          // no joint has limits
}

// NewSerialChain makes the chain from root, or from the robot's root for "", to the link end.
// A link that is not there or is not below root is an error, and so is a chain whose joints
// follow others or in which nothing moves. The dtype is as for [NewChain]. Follows
// build_serial_chain_from_urdf.
func NewSerialChain(r *urdf.Robot, end, root string, dtype torch.DType, dev torch.Device) (*SerialChain, error) {
	path, err := way(r, end, root)
	if err != nil {
		return nil, err
	}
	c := &SerialChain{end: end, infinite: true}
	var names []string
	var limits [][2]float64
	var motions []motion
	var followers []follower
	var sliding []bool
	before, prismatic := identity, false
	for _, j := range path {
		before = before.mul(pose(j.Origin))
		switch {
		case j.Type == urdf.Fixed:
			continue
		case j.Mimic != nil:
			return nil, linkError("joint %q follows joint %q, which no serial chain does", j.Name, j.Mimic.Joint)
		}
		turned := upright(j.Axis)
		motions = append(motions, motionOf(j).between(before, turned))
		before = turned.transposed()
		followers = append(followers, follower{int64(len(names)), 1, 0})
		names, limits = append(names, j.Name), append(limits, limitsOf(j))
		sliding = append(sliding, j.Type == urdf.Prismatic)
		c.turning = append(c.turning, j.Type != urdf.Prismatic)
		prismatic = prismatic || j.Type == urdf.Prismatic
		c.infinite = c.infinite && j.Limit == nil
	}
	if len(names) == 0 {
		return nil, linkError("no joint moves on the way to link %q", end)
	}
	c.joints = newJoints(names, limits, motions, followers, dtype, dev)
	if before != identity {
		var flat []float64
		for _, row := range before[:3] {
			flat = append(flat, row[:]...)
		}
		c.tool = c.tensor(flat, 3, 4, 1)
	}
	if prismatic {
		c.slides = torch.Disown(torch.FromSliceWith(sliding, torch.Shape{1, int64(len(sliding)), 1}, dev))
	}
	return c, nil
}

// way are the joints from root down to end.
func way(r *urdf.Robot, end, root string) ([]*urdf.Joint, error) {
	known := map[string]bool{}
	for _, l := range r.Links {
		known[l.Name] = true
	}
	if root == "" {
		root = r.Root
	}
	for _, name := range []string{root, end} {
		if !known[name] {
			return nil, linkError("there is no link %q", name)
		}
	}
	t := newTree(r)
	var path []*urdf.Joint
	for link := end; link != root; {
		j := t.above[link]
		if j == nil {
			return nil, linkError("link %q is not below link %q", end, root)
		}
		path = append(path, j)
		link = j.Parent
	}
	for i, k := 0, len(path)-1; i < k; i, k = i+1, k-1 {
		path[i], path[k] = path[k], path[i]
	}
	return path, nil
}

// Close frees the chain's constants.
func (c *SerialChain) Close() error {
	_ = c.slides.Close()
	_ = c.tool.Close()
	return c.joints.Close()
}

// End is the link at the end.
func (c *SerialChain) End() string { return c.end }

// ForwardKinematics returns where the end is for positions th of shape (B, J): homogeneous
// matrices of shape (B, 4, 4) that take points of the end to the chain's root. The result is
// a new tensor, owned by the innermost scope, else by the collector; gradients flow to th. It
// panics with ErrShape and ErrDType for positions that are not the chain's. Follows
// SerialChain.forward_kinematics.
func (c *SerialChain) ForwardKinematics(th *torch.Tensor) *torch.Tensor {
	c.check("robot.SerialChain.ForwardKinematics", th)
	return torch.Tidy(func() *torch.Tensor {
		end, _, _ := c.walk(th.T())
		return c.homogeneous(end)
	})
}

// Jacobian returns how the end moves with each joint at positions th of shape (B, J), in the
// chain's root: (B, 6, J), rows 0 to 2 the velocity of the end's origin and 3 to 5 its angular
// velocity. The result is a new tensor, owned by the innermost scope, else by the collector.
// It panics as ForwardKinematics does. Follows SerialChain.jacobian.
func (c *SerialChain) Jacobian(th *torch.Tensor) *torch.Tensor {
	c.check("robot.SerialChain.Jacobian", th)
	return torch.Tidy(func() *torch.Tensor {
		_, jacobian := c.velocities(th.T())
		return jacobian.Permute(2, 0, 1).Contiguous()
	})
}

// Places returns where each joint is and then the end, (J+1, B, 3), to draw the arm. The
// result is as that of ForwardKinematics.
func (c *SerialChain) Places(th *torch.Tensor) *torch.Tensor {
	c.check("robot.SerialChain.Places", th)
	return torch.Tidy(func() *torch.Tensor {
		end, _, at := c.walk(th.T())
		at = append(at, end.Narrow(1, 3, 1))
		return torch.Cat(at, 1).Permute(1, 2, 0).Contiguous()
	})
}

// RandomPositions draws n positions, (n, J), uniformly within the chain's limits, or one turn
// where there are none. It draws float32s for either dtype, as pytorch-kinematics does. The
// result is as that of ForwardKinematics.
func (c *SerialChain) RandomPositions(n int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		ends := []torch.NaNToNumOption{torch.PosInf(math.Pi), torch.NegInf(-math.Pi)}
		low, high := c.low.NaNToNum(ends...), c.high.NaNToNum(ends...)
		u := torch.Rand(torch.Shape{n, int64(len(c.names))}, torch.Float32, c.dev)
		return u.Mul(high.Sub(low)).Add(low)
	})
}

// walk goes from joint to joint for positions with the batch last, (J, B). It returns the
// matrix of the end, (3, 4, B), and the axis and place of each joint, (3, 1, B).
func (c *SerialChain) walk(q *torch.Tensor) (end *torch.Tensor, axes, places []*torch.Tensor) {
	for i, local := range c.locals(q).Unbind() {
		if i == 0 {
			end = local
		} else {
			end = compose(end, local)
		}
		axes, places = append(axes, end.Narrow(1, 2, 1)), append(places, end.Narrow(1, 3, 1))
	}
	if c.tool != nil {
		end = compose(end, c.tool)
	}
	return end, axes, places
}

// velocities are the end's matrix, (3, 4, B), and the Jacobian with the batch last, (6, J, B).
func (c *SerialChain) velocities(q *torch.Tensor) (end, jacobian *torch.Tensor) {
	end, axes, places := c.walk(q)
	axis := torch.Cat(axes, 1)
	arm := end.Narrow(1, 3, 1).Sub(torch.Cat(places, 1))
	linear, angular := axis.Cross(arm, torch.Dim(0)), axis
	if c.slides != nil {
		linear, angular = torch.Where(c.slides, axis, linear), axis.MaskedFill(c.slides, 0)
	}
	return end, torch.Cat([]*torch.Tensor{linear, angular})
}
