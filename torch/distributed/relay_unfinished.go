package distributed

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// If a backward pass did not reach all parameters, this rank has not sent some buckets,
// and other ranks may be waiting for them. They would mistake a different collective of
// this rank for those buckets, and Gloo ends a process that receives more than it
// expects.

// start records that a reducer uses the group.
func (r *relay) start(raw native.Reducer) {
	r.reducer = raw
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	if r.g.relays == nil {
		r.g.relays = map[*relay]bool{}
	}
	r.g.relays[r] = true
}

// end records that the reducer no longer uses the group.
func (r *relay) end() {
	r.g.mu.Lock()
	delete(r.g.relays, r)
	r.g.mu.Unlock()
	r.inUse.Lock()
	defer r.inUse.Unlock()
	r.reducer = 0
}

// checkReady returns an error if the group has ended, if a reducer of the group has unsent buckets,
// or if this goroutine is capturing a step.
func (g *ProcessGroup) checkReady(op string) error {
	if err := firstError(g.checkOpen(op), checkNotCaptured(op)); err != nil {
		return err
	}
	g.mu.Lock()
	relays := slices.Collect(maps.Keys(g.relays))
	g.mu.Unlock()
	for _, r := range relays {
		// While a hook runs, collectives are allowed on any goroutine: they may be the hook's.
		if r.hook.inUse() {
			continue
		}
		if err := r.checkFinished(); err != nil {
			return err
		}
	}
	return nil
}

// checkFinished returns an error if the reducer has unsent buckets outside of a backward pass.
func (r *relay) checkFinished() error {
	r.inUse.Lock()
	var st native.Status
	if r.reducer != 0 {
		st = r.reducer.Finished()
	}
	r.inUse.Unlock()
	if st.Err == 0 {
		return nil
	}
	return r.unfinishedError(cgotorch.TakeError(st.Err).Message)
}

var withoutGradient = regexp.MustCompile(`did not receive grad for rank \d+:((?: \d+)+)`)

// unfinishedError converts libtorch's error about parameters without gradients to an
// error that names them. It also reports the error to the other ranks, which may be
// waiting for this one.
func (r *relay) unfinishedError(text string) error {
	var names []string
	if m := withoutGradient.FindStringSubmatch(text); m != nil {
		for _, word := range strings.Fields(m[1]) {
			if i, err := strconv.Atoi(word); err == nil && i < len(r.names) {
				names = append(names, r.names[i])
			}
		}
	}
	if len(names) == 0 { // all parameters have gradients, so the averaging failed
		if err := r.g.checkOpen(r.op); err != nil {
			return err
		}
		return &torch.Error{
			Op: r.op, Kind: torch.ErrAutograd,
			Message: fmt.Sprintf("rank %d: the last backward pass has failed, and its gradients are not averaged",
				r.g.rank),
		}
	}
	detail := strings.Join(names, ", ") + " got no gradient in the last backward pass"
	_ = r.g.endFailed(&call{op: r.op}, &Error{Kind: ErrMismatch, Ranks: []int{r.g.globalRank}, Detail: detail})
	e := &torch.Error{Op: r.op, Kind: torch.ErrAutograd, Message: fmt.Sprintf("rank %d: %s", r.g.rank, detail)}
	switch {
	case strings.Contains(text, "static_graph"):
		e.Remedy = "the graph has changed, so StaticGraph(true) cannot be used"
	case r.mayBeUnused:
		e.Remedy = "use all outputs of Forward in the loss"
	default:
		e.Remedy = "use all outputs of Forward in the loss, or set FindUnusedParameters(true)"
	}
	return e
}

// checkNotCaptured returns an error if this goroutine is capturing a step (torch.Capture). It is
// called before anything is sent, so the group stays usable.
func checkNotCaptured(op string) error {
	r := recording.Current()
	if r == nil {
		return nil
	}
	why := "cannot be called while a step is being captured: a replay would send nothing" +
		recording.At(trace.Capture(1))
	if r.GiveUp(op + ": " + why) {
		return nil
	}
	return &torch.Error{Op: op, Kind: torch.ErrRuntime, Message: why}
}
