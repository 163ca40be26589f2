package memory

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/pprof"
)

// ProfileName is the name of the profile of live tensors in runtime/pprof.
const ProfileName = "torch_tensors"

// This publishes the profile when the program starts. If the name is already taken, use
// WriteTensorProfile.
var _ = pprof.Publish(ProfileName, func() int { return len(LiveTensors()) }, func(w io.Writer, debug int) error {
	if debug > 0 {
		return writeTensorText(w)
	}
	return WriteTensorProfile(w)
})

// WriteTensorProfile writes the live tensors on the list of [TrackTensors] as a profile
// for "go tool pprof". For each stack on which tensors were created, the profile has the
// number of tensors and their bytes, with kind and dtype as labels (pprof -tags). A
// program that imports net/http/pprof serves the same profile at
// /debug/pprof/torch_tensors.
func WriteTensorProfile(w io.Writer) error {
	if w == nil {
		return nilWriterError("WriteTensorProfile")
	}
	type key struct {
		site        trace.ID
		kind, dtype string
	}
	type sum struct{ count, bytes float64 }
	sums := map[key]*sum{}
	var order []key
	for _, t := range LiveTensors() {
		k := key{t.site, string(t.Kind), fmt.Sprint(t.DType)}
		s := sums[k]
		if s == nil {
			s = &sum{}
			sums[k] = s
			order = append(order, k)
		}
		s.count += t.Weight
		s.bytes += t.Weight * float64(t.Bytes)
	}
	p := pprof.New(pprof.Value{Name: "tensors", Unit: "count"}, pprof.Value{Name: "space", Unit: "bytes"})
	for _, k := range order {
		s := sums[k]
		p.Sample(trace.Frames(k.site), []int64{int64(math.Round(s.count)), int64(math.Round(s.bytes))},
			pprof.Label{Key: "kind", Value: k.kind}, pprof.Label{Key: "dtype", Value: k.dtype})
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("memory: write the profile of tensors: %w", err)
	}
	return nil
}

// writeTensorText writes the listed tensors by line, as text for a browser.
func writeTensorText(w io.Writer) error {
	ts := LiveTensors()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %d listed\n", ProfileName, len(ts))
	for _, g := range GroupTensors(ts, ByLine) {
		fmt.Fprintln(&b, g)
	}
	_, err := w.Write(b.Bytes())
	return err
}
