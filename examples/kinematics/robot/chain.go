// Package robot moves robots: where their links are for positions of the joints (forward
// kinematics), how links move with joints (the Jacobian), and which positions bring a link to
// a place (inverse kinematics). All of it is for a batch of positions at once. It is what
// pytorch-kinematics is in Python, whose names it has.
package robot

import (
	"fmt"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// Chain is a tree of links. It may be used from several goroutines.
type Chain struct {
	joints
	links  []string // by level
	levels []level  // those below the root
}

// level are links that are equally far from the root, n of them.
type level struct {
	n       int64
	parents *torch.Tensor // (n), their parents' places in the level above; nil if they are 0, 1, 2, ...
}

// NewChain makes a chain of all links of a robot. Its dtype is Float32 or Float64; another
// one panics with ErrDType. Close frees its constants. Follows build_chain_from_urdf.
func NewChain(r *urdf.Robot, dtype torch.DType, dev torch.Device) *Chain {
	t := newTree(r)
	var names []string
	var limits [][2]float64
	place := map[string]int64{}
	for _, j := range t.moving {
		place[j.Name] = int64(len(names))
		names, limits = append(names, j.Name), append(limits, limitsOf(j))
	}
	motions, followers := []motion{{identity}}, []follower{{factor: 1}}
	c := &Chain{links: []string{r.Root}}
	for above := c.links; ; {
		var below []string
		var parents []int64
		for p, link := range above {
			for _, j := range t.below[link] {
				below, parents = append(below, j.Child), append(parents, int64(p))
				motions = append(motions, motionOf(j).between(pose(j.Origin), identity))
				followers = append(followers, follow(j, place))
			}
		}
		if len(below) == 0 {
			break
		}
		c.links = append(c.links, below...)
		c.levels = append(c.levels, level{int64(len(below)), nil})
		if !isRange(parents, len(above)) {
			c.levels[len(c.levels)-1].parents = torch.Disown(torch.FromSliceWith(parents,
				torch.Shape{int64(len(parents))}, dev))
		}
		above = below
	}
	c.joints = newJoints(names, limits, motions, followers, dtype, dev)
	return c
}

// Close frees the chain's constants.
func (c *Chain) Close() error {
	for _, l := range c.levels {
		_ = l.parents.Close()
	}
	return c.joints.Close()
}

// LinkNames are all links, those next to the root first.
func (c *Chain) LinkNames() []string { return c.links }

// ForwardKinematics returns where each link is for positions th of shape (B, J): homogeneous
// matrices of shape (B, 4, 4) that take points of the link to the root. They are slices of one
// tensor, owned by the innermost scope, else by the collector; gradients flow to th. It
// panics with ErrShape and ErrDType for positions that are not the chain's. Follows
// Chain.forward_kinematics.
func (c *Chain) ForwardKinematics(th *torch.Tensor) map[string]*torch.Tensor {
	c.check("robot.Chain.ForwardKinematics", th)
	frames := torch.TidyAll(func() []*torch.Tensor {
		local := c.locals(th.T())
		above := local.Narrow(0, 0, 1)
		done, all := int64(1), []*torch.Tensor{above}
		for _, l := range c.levels {
			if l.parents != nil {
				above = above.IndexSelect(0, l.parents)
			}
			above = compose(above, local.Narrow(0, done, l.n))
			done += l.n
			all = append(all, above)
		}
		return c.homogeneous(torch.Cat(all)).Unbind()
	})
	places := make(map[string]*torch.Tensor, len(frames))
	for i, f := range frames {
		places[c.links[i]] = f
	}
	return places
}

func isRange(values []int64, n int) bool {
	for i, v := range values {
		if int64(i) != v {
			return false
		}
	}
	return len(values) == n
}

// tree is a robot with ways down and up.
type tree struct {
	below  map[string][]*urdf.Joint // the joints whose parent a link is
	above  map[string]*urdf.Joint   // the joint whose child a link is
	moving []*urdf.Joint            // by themselves, depth first
}

func newTree(r *urdf.Robot) *tree {
	t := &tree{below: map[string][]*urdf.Joint{}, above: map[string]*urdf.Joint{}}
	for i := range r.Joints {
		j := &r.Joints[i]
		t.below[j.Parent] = append(t.below[j.Parent], j)
		t.above[j.Child] = j
	}
	for links := []string{r.Root}; len(links) > 0; {
		link := links[len(links)-1]
		links = links[:len(links)-1]
		if j := t.above[link]; j != nil && j.Moves() {
			t.moving = append(t.moving, j)
		}
		for i := len(t.below[link]) - 1; i >= 0; i-- {
			links = append(links, t.below[link][i].Child)
		}
	}
	return t
}

// follow says whose position a joint takes. For a fixed one that does not matter.
func follow(j *urdf.Joint, place map[string]int64) follower {
	if j.Mimic != nil {
		return follower{place[j.Mimic.Joint], j.Mimic.Multiplier, j.Mimic.Offset}
	}
	return follower{place[j.Name], 1, 0}
}

func limitsOf(j *urdf.Joint) [2]float64 {
	if j.Limit == nil {
		return unlimited
	}
	return [2]float64{j.Limit.Lower, j.Limit.Upper}
}

// linkError says that a robot has no such link, or that a chain cannot be made of it.
func linkError(format string, args ...any) error {
	return fmt.Errorf("robot: "+format, args...)
}
