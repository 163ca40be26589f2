package memory

import "github.com/gotorch/gotorch/internal/native/trace"

// frameCache converts stack numbers to frames. Equal stacks share a slice, so that a
// pickle contains them once.
type frameCache struct {
	program bool
	byID    map[trace.ID][]Frame
}

func newFrameCache(program bool) *frameCache {
	return &frameCache{program: program, byID: map[trace.ID][]Frame{0: {}}}
}

func (c *frameCache) frames(id uint32) []Frame {
	if f, ok := c.byID[trace.ID(id)]; ok {
		return f
	}
	calls := trace.Frames(trace.ID(id))
	from := 0
	if c.program {
		if site, ok := trace.Site(calls); ok {
			for calls[from] != site {
				from++
			}
		}
	}
	out := make([]Frame, 0, len(calls)-from)
	for _, f := range calls[from:] {
		out = append(out, Frame{Name: f.Function, Filename: f.File, Line: f.Line})
	}
	c.byID[trace.ID(id)] = out
	return out
}

// forward returns the stack of the forward operator for an allocation in a backward pass.
// For other allocations it returns nil.
func (c *frameCache) forward(id uint32) ForwardStack {
	if id == 0 {
		return nil
	}
	return c.frames(id)
}
