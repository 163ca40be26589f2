package distributed

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// ReducerConfig configures a [Reducer]. The zero value corresponds to the defaults of
// DistributedDataParallel.
type ReducerConfig struct {
	Op     string   // name of the module in errors; "distributed.Reducer" if empty
	Names  []string // names of the parameters in errors
	Sparse []bool   // which parameters get sparse gradients; nil for none

	// Size of a bucket in bytes; 0 means 1 MiB for the first bucket and 25 MiB for the others.
	BucketCap            int64
	BucketCaps           []int64 // sizes of the first buckets in bytes, instead of BucketCap
	FindUnusedParameters bool    // an output may not depend on some parameters
	GradientAsBucketView bool    // gradients are views of the buckets, which saves memory
	StaticGraph          bool    // every iteration computes the same graph
	NoSync               bool    // do not copy parameters and buffers from rank 0 at the start

	// Do not send buckets of unused parameters, which must be the same on all ranks.
	SkipAllReduceUnusedParams bool

	// All are the parameters to copy from rank 0 at the start: those of the reducer and, among them,
	// those that require no gradients. nil means only those of the reducer.
	All      []*torch.Tensor
	AllNames []string        // names of All in errors
	Buffers  []*torch.Tensor // copied from rank 0 at the start, after the parameters

	// Refused is an error that the caller found in this rank's arguments. It is also reported to
	// the other ranks.
	Refused error
}

// checkParams returns an error for arguments that would be invalid on any rank.
func (c *ReducerConfig) checkParams(params []*torch.Tensor) error {
	if len(params) == 0 {
		return argumentError(c.Op, torch.ErrValue, "params", "no parameter requires a gradient")
	}
	if err := torch.Try(func() { torch.Handles(c.Op+"(params)", params, false) }); err != nil {
		return err
	}
	for i, p := range params {
		if !p.RequiresGrad() || !p.IsLeaf() {
			return argumentError(c.Op, torch.ErrAutograd, c.paramName(i), "expected a leaf that requires gradients")
		}
	}
	for arg, ts := range map[string][]*torch.Tensor{"All": c.All, "buffers": c.Buffers} {
		if err := torch.Try(func() { torch.Handles(c.Op+"("+arg+")", ts, false) }); err != nil {
			return err
		}
	}
	if c.BucketCap < 0 {
		return argumentError(c.Op, torch.ErrValue, "BucketCap", "expected a non-negative number of bytes, got %d",
			c.BucketCap)
	}
	for _, n := range c.BucketCaps {
		if n <= 0 {
			return argumentError(c.Op, torch.ErrValue, "BucketCaps", "expected positive numbers of bytes, got %d",
				n)
		}
	}
	return nil
}

// checkSendable returns an error for parameters and buffers that Gloo cannot send or sum.
func (c *ReducerConfig) checkSendable(g *ProcessGroup, params []*torch.Tensor) error {
	for i, p := range params {
		if err := g.checkBroadcast(c.Op, c.paramName(i), p); err != nil {
			return err
		}
	}
	for i, p := range c.All {
		if err := g.checkBroadcast(c.Op, nameAt(c.AllNames, "All", i), p); err != nil && !c.NoSync {
			return err
		}
	}
	for i, b := range c.Buffers {
		if err := g.checkBroadcast(c.Op, fmt.Sprintf("buffers[%d]", i), b); err != nil {
			return err
		}
	}
	return nil
}

// checkBroadcast returns an error for a tensor of a reducer that Gloo cannot send.
func (g *ProcessGroup) checkBroadcast(op, arg string, t *torch.Tensor) error {
	if g.backend == NCCL && t.IsCUDA() || t.DType().IsComplex() {
		return nil // NCCL supports other dtypes, and libtorch sends complex numbers as pairs of real ones
	}
	return checkGlooType(op, arg, t.DType())
}

func (c *ReducerConfig) paramName(i int) string { return nameAt(c.Names, "params", i) }

// nameAt returns name i or, if there are fewer names, an element of list.
func nameAt(names []string, list string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s[%d]", list, i)
}

// copied returns the tensors to copy from rank 0 at the start.
func (c *ReducerConfig) copied(params []*torch.Tensor) []*torch.Tensor {
	if c.All != nil {
		params = c.All
	}
	return slices.Concat(params, c.Buffers)
}

// agreementText describes what must be equal on all ranks.
func (c *ReducerConfig) agreementText(params []*torch.Tensor) (text string) {
	sync := "their values"
	if c.NoSync {
		sync = "no values"
	}
	_ = torch.Try(func() { // if describe panics, a parameter is invalid, and checkParams refuses it
		frozen := ""
		if n := len(c.All) - len(params); n > 0 {
			frozen = fmt.Sprintf("; with %d that require no gradients: %s", n, describe(c.All...))
		}
		text = fmt.Sprintf("%s of %d parameters: %s%s; %d buffers: %s; %s from rank 0%s", c.Op, len(params),
			describe(params...), frozen, len(c.Buffers), describe(c.Buffers...), sync, c.settingsText())
	})
	return text
}

// settingsText lists the settings that must be equal on all ranks, except those with their zero value.
func (c *ReducerConfig) settingsText() (text string) {
	if c.BucketCap != 0 {
		text += fmt.Sprintf("; BucketCap %d", c.BucketCap)
	}
	if len(c.BucketCaps) > 0 {
		text += fmt.Sprintf("; BucketCaps %d", c.BucketCaps)
	}
	if c.FindUnusedParameters {
		text += "; FindUnusedParameters"
	}
	if c.StaticGraph {
		text += "; StaticGraph"
	}
	if c.SkipAllReduceUnusedParams {
		text += "; SkipAllReduceUnusedParams"
	}
	return text
}
